// The key of one registered channel with what the dispatcher adds: the handler that it owns, and
// its place in the registry.
//
// Thread: the dispatcher's own.
#pragma once

#include <cstdint>
#include <memory>

#include <nio/dispatch/SelectorHandlers.h>
#include <nio/selector/SelectionKey.h>

namespace nio {

class Registration final : public SelectionKey {
  public:
    enum class Kind : std::uint8_t { accept, connect, readWrite };

    struct Served {
        Kind kind;
        union {
            AcceptSelectorHandler* accept;
            ConnectSelectorHandler* connect;
            ReadWriteSelectorHandler* readWrite;
        };
        static Served by(AcceptSelectorHandler& handler) {
            Served by{Kind::accept, {}};
            by.accept = &handler;
            return by;
        }
        static Served by(ConnectSelectorHandler& handler) {
            Served by{Kind::connect, {}};
            by.connect = &handler;
            return by;
        }
        static Served by(ReadWriteSelectorHandler& handler) {
            Served by{Kind::readWrite, {}};
            by.readWrite = &handler;
            return by;
        }
        SelectorHandler& handler() const;
        Interest servable() const;
    };

    Registration(SelectorThread& thread, Selector& selector, const DispatcherIdentity& owner,
                 ChannelIo& io, Served by, Interest interest)
        : SelectionKey(selector, owner, io, by.handler().channel(), interest),
          served(by),
          thread_(thread) {}
    ~Registration() override {
        if (ownsHandler) delete &handler();
    }

    void channelClosing() override NIO_REQUIRES(onDispatcher);

    SelectorHandler& handler() const { return served.handler(); }

    Served served;
    Registration* nextGrave = nullptr;
    std::uint32_t slot = 0;
    bool ownsHandler : 1 = false;  // once the registration has succeeded
    bool flushQueued = false;
    bool revisitQueued = false;
    bool aborted : 1 = false;

  private:
    SelectorThread& thread_;
};

}  // namespace nio
