// Upgrades a program without refusing a connection: a new process takes over the listeners of its
// predecessor, which then drains. They meet at the path of a Unix-domain socket.
//
//     nio::Takeover takeover("/run/echo/takeover");
//     options.address = takeover.listen(address);
//     nio::Server server(std::move(options), ...);
//     server.run([&] {
//         takeover.serve(server.group()[0], [&](nio::SocketChannel) {
//             server.group().requestClose(nio::DrainOptions::handedOver());
//         });
//     });
//
// Both processes then have the same sockets: connections in the backlog go to the first that
// accepts them. A successor that fails before serve() changes nothing for its predecessor.
//
// A successor that needs what its predecessor uses alone, such as a file that it locks, calls
// relieve() first: connections wait in the backlog until the predecessor has drained.
//
// Thread: any, one at a time; listen() and forget() also while a dispatcher serves.
// Lifetime: may be destroyed after serve(): the dispatcher has all that a successor needs, and
// closes it in a drain.
// Errors: std::system_error. The constructor: invalid_argument (an abstract name: any process
// could connect to it); connection_reset (the predecessor drains, or another process asks it);
// timed_out (it does not answer). listen(): see ServerSocketChannel::open. relieve(): timed_out
// (the predecessor drains, but has not released what it uses). serve(): as listen(), and stopped,
// queueFull. A second process that asks before the first has answered is refused, and
// the predecessor logs it.
// Source: unix(7), SCM_RIGHTS.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <nio/base/UniqueFunction.h>
#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

class Takeover {
  public:
    // Asks the process that serves at `path` for its listeners. Without a process there, there is
    // no predecessor. Blocks for `limit` at most.
    explicit Takeover(const std::string& path,
                      std::chrono::milliseconds limit = std::chrono::seconds(10));

    bool hasPredecessor() const { return static_cast<bool>(predecessor_); }

    // The socket that this process or its predecessor has at this address, else a new one; a
    // duplicate, for ServerOptions say. A successor will be offered it. This object owns the file
    // of a Unix-domain socket.
    UniqueFd listen(const SocketAddress& address, const ListenOptions& options = {});
    // A successor is not offered the socket at this address any more. Closing the duplicates then
    // ends it.
    void forget(const SocketAddress& address);

    // Has the predecessor drain now, and waits until it has destroyed the channel that `relieved`
    // gave it, or has ended. Blocks for `limit` at most. Without a predecessor it does nothing.
    void relieve(std::chrono::milliseconds limit);

    // Tells that this process serves: its predecessor drains, offered sockets that listen() did not
    // take are closed, and `dispatcher` awaits a successor. `relieved` is called there once, when
    // the successor serves or calls relieve(): drain then. A successor in relieve() waits for the
    // end of `successor`.
    using Relieved = UniqueFunction<void(SocketChannel successor)>;
    void serve(SelectorThread& dispatcher, Relieved relieved);

  private:
    class Listeners;
    class Successors;

    ServerSocketChannel open(const SocketAddress& address, const ListenOptions& options);

    SocketAddress path_;
    UniqueFd predecessor_;
    std::vector<UniqueFd> offered_;
    const std::shared_ptr<Listeners> listeners_;  // shared with the dispatcher that serves
};

}  // namespace nio
