// A whole server: dispatchers, listeners, dealing, and a graceful shutdown.
//
//     nio::Server server("127.0.0.1:7007", nio::lines(),
//                        [](auto& peer, std::string_view line) { peer.send(line); });
//     server.run();
//
// What follows the address is a pipeline: stages and an application, see PipelineFactory.h.
//
// It combines SelectorThreadGroup, Acceptor and ConnectionDealer; a program that needs more can do
// so itself.
//
// Thread: any, one at a time; requestStop() any.
// Lifetime: the destructor aborts what is left and joins.
// Errors: std::system_error. The constructor: invalid address, address in use, no descriptors.
// start(): out of memory. wait() and run(), after everything has stopped: it could not listen or
// catch signals, or a dispatcher gave up (SelectorThreadOptions::onGivingUp); the others have
// drained, see group().drainReport().
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>
#include <nio/net/ConnectionDealer.h>
#include <nio/net/SignalHandler.h>
#include <nio/pipeline/PipelineFactory.h>

namespace nio {

// An address or its text form; port 0 takes a free one. The text form of a Unix-domain path with
// control characters names another file (see SocketAddress::toString()): give the address. Or a
// socket that listens already (ServerSocketChannel::adopt).
using ListenAddress = std::variant<std::string, SocketAddress, UniqueFd>;

struct ServerOptions {
    ListenAddress address = "127.0.0.1:0";
    SelectorThreadGroupOptions group{};
    AcceptorOptions acceptor{};
    DrainOptions drain{};
};

class Server {
  public:
    // Listens when it returns; connections wait in the backlog until start(). `makeHandler` may be
    // a nio::pipeline().
    Server(ServerOptions options, HandlerFactory makeHandler);
    // The same with default options, for a pipeline of these steps.
    template <std::convertible_to<std::string> Address, class... Steps>
    Server(Address address, Steps... steps)
        : Server(ServerOptions{.address = std::string(std::move(address))},
                 pipeline(std::move(steps)...)) {}

    // A further address, with handlers or a nio::pipeline() of its own; before start(). The options
    // of the acceptor hold for all addresses, and maxConnections limits them together. Errors: as
    // the constructor; std::logic_error after start().
    void listen(ListenAddress address, HandlerFactory makeHandler);

    const SocketAddress& address() const { return addresses_.front(); }
    // All of them, in the order of listen().
    const std::vector<SocketAddress>& addresses() const { return addresses_; }
    SelectorThreadGroup& group() { return group_; }

    void start();
    // The first call drains, a second one aborts what is left.
    void requestStop();
    // Waits until the server has stopped; before start() it returns at once.
    DrainReport wait();

    // start(), requestStop() on SIGINT or SIGTERM, and wait(). Those two signals are caught from
    // here on, also after the return (see SignalHandler.h); every Server in run() gets them. With
    // several dispatchers the signals have one of their own, with the same selector, watchdog,
    // flight records and failure callbacks. A single dispatcher makes its turns on the calling
    // thread: a process of one thread spares the kernel two atomic operations for each system call
    // on a descriptor.
    //
    // `ready` is called on the calling thread once all other threads run, to report that. An
    // exception from it ends run(); the destructor ends the rest.
    DrainReport run(const std::function<void()>& ready = {});

  private:
    SelectorThreadGroupOptions watched(SelectorThreadGroupOptions options);
    std::unique_ptr<SignalHandler> listenForSignals();
    void listenEverywhere(ServerSocketChannel first, const HandlerFactory& makeHandler);
    void accept(ServerSocketChannel channel, SelectorThread& thread,
                const HandlerFactory& makeHandler);
    void postAcceptors();
    template <class H>
    void post(SelectorThread& thread, std::unique_ptr<H> handler, Interest interest);
    void failed(const Error& error);
    void remember(const Error& error) noexcept;
    DrainReport report();
    DrainReport runHere(const std::function<void()>& ready);
    DrainReport runOnThreads(const std::function<void()>& ready);

    const DrainOptions drain_;
    AcceptorOptions acceptor_;             // with the gate of the first one
    const SelectorThreadOptions control_;  // of the dispatcher for signals
    std::atomic<bool> stopRequested_{false};
    std::mutex failureMutex_;
    std::optional<Error> failure_;  // the first one
    SelectorThreadGroup group_;
    struct Listening {
        SelectorThread* thread;
        std::unique_ptr<Acceptor> acceptor;
    };
    std::vector<Listening> acceptors_;  // until start()
    bool isStarted_ = false;
    std::vector<SocketAddress> addresses_;
};

}  // namespace nio
