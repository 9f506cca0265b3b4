// The binds of one connector: made from its configuration, switched on and off, and searched for
// one that may send.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "sms_router/egress/OutbindListener.h"
#include "sms_router/egress/SmscBind.h"

namespace router {

class SmscBinds {
  public:
    SmscBinds(nio::SelectorThread& thread, SmscConnector& owner) : thread_(thread), owner_(owner) {}

    // In place of those there are, which are unbound. Not started yet.
    void makeNow(const std::shared_ptr<const SmscDialing>& dialing) NIO_REQUIRES(nio::onDispatcher);
    // What has changed without a need for new ones.
    void useNow(const std::shared_ptr<const SmscDialing>& dialing) NIO_REQUIRES(nio::onDispatcher);
    // An error: it could not listen for outbinds.
    nio::Result<void> startNow() NIO_REQUIRES(nio::onDispatcher);
    void stopNow() NIO_REQUIRES(nio::onDispatcher);

    // What the connector hears of a link.
    void boundNow(const SmscLink& link) NIO_REQUIRES(nio::onDispatcher);
    void closedNow(const SmscLink& link) NIO_REQUIRES(nio::onDispatcher);

    // Of an earlier configuration.
    bool isLeavingNow(const SmscLink& link) const NIO_REQUIRES(nio::onDispatcher);
    // False: its outbind is awaited on a port that it did not get.
    bool canBeCalledNow() const NIO_REQUIRES(nio::onDispatcher) {
        return door_ != nullptr || dialing_->config.outbindListen.empty();
    }
    bool canTransmitNow() const NIO_REQUIRES(nio::onDispatcher);
    // That with the fewest requests outstanding, under `window`; of equals in turn. Null: none. One
    // whose output has not left yet comes first, while it has less than `mostAhead` requests more:
    // the messages of a turn share a send, and their answers a receive.
    SmscLink* withRoomNow(std::size_t window) NIO_REQUIRES(nio::onDispatcher);
    bool areClosed() const;
    std::vector<BindRow> describeNow() const NIO_REQUIRES(nio::onDispatcher);

  private:
    static constexpr std::size_t mostAhead = 16;
    // As long as a new connection may take for its outbind, whatever else comes.
    static constexpr std::chrono::seconds toCall{1};

    void adopt(nio::SocketChannel channel) NIO_REQUIRES(nio::onDispatcher);
    void makeWay() NIO_REQUIRES(nio::onDispatcher);
    void closeDoor() NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    SmscConnector& owner_;
    std::shared_ptr<const SmscDialing> dialing_;
    std::vector<std::unique_ptr<SmscBind>> binds_;
    std::vector<std::unique_ptr<SmscBind>> leaving_;  // of an earlier configuration
    std::unique_ptr<OutbindListener> door_;
    std::size_t turn_ = 0;
};

}  // namespace router
