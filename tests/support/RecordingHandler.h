// Handlers that write down what happens to them, and do what the test puts into their hooks.
//
// Thread: the dispatcher's own.
// Lifetime: the journal must outlive the handler, whose destruction is written down too.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

namespace support {

using Journal = std::vector<std::string>;

// `Base` is one of the three handler interfaces.
template <class Base, class Channel>
class RecordingBase : public Base {
  public:
    using Hook = std::function<void()>;

    RecordingBase(Channel channel, std::string name, Journal& journal)
        : channel_(std::move(channel)), name_(std::move(name)), journal_(journal) {}
    ~RecordingBase() override { call("destroyed", onDestroyed); }

    Channel& channel() override { return channel_; }
    std::string name() const override { return name_; }

    void handleRegistered() override NIO_REQUIRES(nio::onDispatcher) {
        if (onRegistered) onRegistered();
    }
    void handleFlush() override NIO_REQUIRES(nio::onDispatcher) { call("flush", onFlush); }
    void handleRevisit() override NIO_REQUIRES(nio::onDispatcher) { call("revisit", onRevisit); }

    Hook onRegistered, onFlush, onRevisit, onDestroyed;

  protected:
    void call(const char* what, const Hook& hook) {
        journal_.push_back(name_ + " " + what);
        if (hook) hook();
    }

  private:
    Channel channel_;
    std::string name_;
    Journal& journal_;
};

// Without a hook it keeps what it reads, goes on reading, and closes at the end of the stream.
class RecordingHandler final
    : public RecordingBase<nio::ReadWriteSelectorHandler, nio::SocketChannel> {
  public:
    using RecordingBase::RecordingBase;

    void handleRead() override NIO_REQUIRES(nio::onDispatcher) {
        call("read", onRead);
        if (!onRead) keepWhatIsThere();
    }
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) { call("write", onWrite); }
    void handleExceptional() override NIO_REQUIRES(nio::onDispatcher) { call("exceptional", {}); }

    void keepWhatIsThere() NIO_REQUIRES(nio::onDispatcher) {
        const nio::Received got = channel().receive();
        if (got.status == nio::IoStatus::closed || got.status == nio::IoStatus::failed) {
            return channel().close();
        }
        kept.append(nio::asText(got.bytes));
        readOn();
    }
    void readOn() NIO_REQUIRES(nio::onDispatcher) {
        dispatcher().addChannelInterestNow(channel(), nio::Interest::read);
    }

    Hook onRead, onWrite;
    std::string kept;
};

class RecordingAcceptHandler final
    : public RecordingBase<nio::AcceptSelectorHandler, nio::ServerSocketChannel> {
  public:
    using RecordingBase::RecordingBase;
    void handleAccept() override NIO_REQUIRES(nio::onDispatcher) { call("accept", onAccept); }

    Hook onAccept;
};

class RecordingConnectHandler final
    : public RecordingBase<nio::ConnectSelectorHandler, nio::SocketChannel> {
  public:
    using RecordingBase::RecordingBase;
    void handleConnect() override NIO_REQUIRES(nio::onDispatcher) { call("connect", onConnect); }

    Hook onConnect;
};

}  // namespace support
