// A coroutine as the application of a pipeline: optional, and not part of <nio/nio.h>.
//
//     nio::Server server("127.0.0.1:7007", nio::lines(), nio::coroutine(
//         [](auto& peer) -> nio::Coroutine<> {
//             while (auto line = co_await peer.read()) co_await peer.write(*line);
//         }));
//
// It begins when the connection is open; when it ends, the connection closes after the flush. An
// exception from it ends the connection. When the connection ends, the coroutine is destroyed where
// it waits. `peer` is a CoroutinePeer<Received, Sent>, CoroutinePeer<> where packets are bytes.
//
// It costs its frame (one allocation for each coroutine that is awaited) and a copy of each item:
// an echo of a line of 64 bytes takes about 530 user instructions more than with a lambda. The
// connection does not migrate: StreamOptions::movable must be off.
//
// Thread: the connection's dispatcher, or where the coroutine goes with on().
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <nio/coroutine/CoroutinePeer.h>
#include <nio/pipeline/PipelineFactory.h>

namespace nio {

template <class Function>
class CoroutineApplication {
  public:
    explicit CoroutineApplication(Function function) : function_(std::move(function)) {}
    // A connection begins with a copy.
    CoroutineApplication(const CoroutineApplication& other) : function_(other.function_) {}
    CoroutineApplication& operator=(const CoroutineApplication&) = delete;
    // A pipeline that is replaced is not told of its end.
    ~CoroutineApplication() {
        onDispatcher.assumeCurrent();
        if (run_ != nullptr) run_->closed();
    }

    // A stage may give something in its own opened(), which comes before this one.
    void opened(auto& connection) NIO_REQUIRES(onDispatcher) { runOf(connection).begin(); }
    void read(auto& connection, auto&& item) NIO_REQUIRES(onDispatcher) {
        runOf(connection).take(std::forward<decltype(item)>(item));
    }
    void flushed(auto& connection) NIO_REQUIRES(onDispatcher) { runOf(connection).outputSent(); }
    void belowMark(auto& connection) NIO_REQUIRES(onDispatcher) { runOf(connection).outputSent(); }
    void peerFinished(auto& connection) NIO_REQUIRES(onDispatcher) {
        runOf(connection).peerFinished();
    }
    void closed(auto&) NIO_REQUIRES(onDispatcher) {
        if (run_ != nullptr) run_->closed();
    }

  private:
    auto& runOf(auto& connection) {
        using Running = RunningIn<std::remove_cvref_t<decltype(connection)>>;
        static_assert(std::is_invocable_r_v<Coroutine<>, Function&, typename Running::Peer&>,
                      "nio::coroutine: a function that takes auto& peer (a nio::CoroutinePeer) and "
                      "returns nio::Coroutine<>");
        if (run_ == nullptr) run_ = std::make_shared<Running>(connection, function_);
        return static_cast<Running&>(*run_);
    }

    template <class Item>
    using ReceivedAs = std::conditional_t<pipelines::isBytes<Item>, std::string, Item>;
    template <class Item>
    using SentAs = std::conditional_t<pipelines::isBytes<Item>, std::string_view, Item>;

    template <class Connection>
    class RunningIn final : public CoroutinePeer<ReceivedAs<typename Connection::Received>,
                                                 SentAs<typename Connection::Sent>> {
      public:
        using Item = ReceivedAs<typename Connection::Received>;
        using Sent = SentAs<typename Connection::Sent>;
        using Peer = CoroutinePeer<Item, Sent>;

        RunningIn(Connection& connection, const Function& function)
            : Peer(connection), function_(function) {}
        // The coroutine uses the function's captures.
        ~RunningIn() override { this->drop(); }

        void begin() NIO_REQUIRES(onDispatcher) {
            Peer& peer = *this;
            this->start(function_(peer));
        }
        template <class Arrived>
        void take(Arrived&& item) NIO_REQUIRES(onDispatcher) {
            if constexpr (std::same_as<std::remove_cvref_t<Arrived>, ByteView>) {
                this->receive(Item(asText(item)));
            } else {
                this->receive(Item(std::forward<Arrived>(item)));
            }
        }

      private:
        void send(const Sent& item) override NIO_REQUIRES(onDispatcher) {
            static_cast<Connection&>(*this->connectionHere()).send(item);
        }

        Function function_;
    };

    Function function_;
    // Only in a connection.
    std::shared_ptr<CoroutineRun> run_;
};

template <std::copy_constructible Function>
CoroutineApplication<Function> coroutine(Function function) {
    return CoroutineApplication<Function>(std::move(function));
}

}  // namespace nio
