// A connection as its coroutine sees it: co_await each of these.
//
// Thread: the connection's dispatcher, except on() and home(). Elsewhere the others throw
// WrongThreadError.
// Lifetime: the coroutine's. It is destroyed where it waits when the connection ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nio/coroutine/CoroutineRun.h>

namespace nio {

// Bytes are received as a std::string and sent as a std::string_view.
template <class Received = std::string, class Sent = std::string_view>
class CoroutinePeer : public CoroutineRun {
  public:
    using CoroutineRun::CoroutineRun;

    // The next item; none: the peer has finished sending. Bytes are copied.
    auto read() {
        assertHome("read");
        struct Reading {
            bool await_ready() const { return !peer.items_.empty() || peer.hasPeerFinished(); }
            void await_suspend(std::coroutine_handle<> waiting) { peer.await(Wait::item, waiting); }
            std::optional<Received> await_resume() { return peer.takeItem(); }

            CoroutinePeer& peer;
        };
        return Reading{*this};
    }

    // Sends, and waits while more than StreamOptions::outputHighMark is pending; on a connection
    // that is closing, until it is closed.
    auto write(const Sent& item) {
        assertHome("write");
        onDispatcher.assumeCurrent();
        if (connectionHere() != nullptr) send(item);
        struct Writing {
            bool await_ready() const { return peer.mayWriteMore(); }
            void await_suspend(std::coroutine_handle<> waiting) { peer.await(Wait::room, waiting); }
            void await_resume() const {}

            CoroutinePeer& peer;
        };
        return Writing{*this};
    }

    template <class Rep, class Period>
    auto sleep(std::chrono::duration<Rep, Period> time) {
        assertHome("sleep");
        struct Sleeping {
            bool await_ready() const { return false; }
            void await_suspend(std::coroutine_handle<> waiting) {
                onDispatcher.assumeCurrent();
                peer.awaitTime(until, waiting);
            }
            void await_resume() const {}

            CoroutinePeer& peer;
            TimePoint until;
        };
        return Sleeping{*this, Clock::after(time)};
    }

    // Continues in a turn of that dispatcher: one for calls that block, say. Nothing is read
    // meanwhile, and the end of the connection is noticed only back at home. Throws
    // std::system_error (stopped, queueFull, not_enough_memory); the coroutine has then stayed
    // where it was.
    auto on(SelectorThread& there) {
        struct Going {
            bool await_ready() const { return there.isCurrent(); }
            void await_suspend(std::coroutine_handle<> waiting) {
                peer.awaitDispatcher(there, waiting);
            }
            void await_resume() const { peer.crossed().orThrow(); }

            CoroutinePeer& peer;
            SelectorThread& there;
        };
        return Going{*this, there};
    }
    // Back to the connection's dispatcher. If the connection has ended, the coroutine ends here.
    auto home() { return on(homeDispatcher()); }

    // For its addresses, options, abort(); null once it has ended.
    StreamHandler* connection() const {
        assertHome("connection");
        return connectionHere();
    }

    // For the connection.
    void receive(Received item) NIO_REQUIRES(onDispatcher) {
        items_.push_back(std::move(item));
        itemArrived();
    }

  private:
    virtual void send(const Sent& item) NIO_REQUIRES(onDispatcher) = 0;

    // False on a closing connection: else a coroutine that only writes would never wait.
    bool mayWriteMore() const {
        const StreamHandler* connection = connectionHere();
        return connection != nullptr && connection->maySend() &&
               connection->pendingBytes() <= connection->options().outputHighMark;
    }
    std::optional<Received> takeItem() {
        if (items_.empty()) return {};
        std::optional<Received> first(std::move(items_.front()));
        items_.erase(items_.begin());
        return first;
    }

    std::vector<Received> items_;  // more than one only if a stage gives more inside a write
};

}  // namespace nio
