// Upgrades a program without refusing a connection: a new process takes over the listeners of its
// predecessor, which then drains. They meet at the path of a Unix-domain socket.
//
//     nio::Takeover takeover("/run/echo/takeover");
//     options.address = takeover.listen(address);
//     nio::Server server(std::move(options), ...);
//     server.run([&] {
//         takeover.serve(server.group()[0],
//                        [&] { server.group().requestClose(nio::DrainOptions::handedOver()); });
//     });
//
// Both processes then have the same sockets: connections in the backlog go to the first that
// accepts them. A successor that fails before serve() changes nothing for its predecessor.
//
// Thread: any, one at a time.
// Lifetime: may be destroyed after serve(): the dispatcher has all that a successor needs, and
// closes it in a drain.
// Errors: std::system_error. The constructor: invalid_argument (an abstract name: any process
// could connect to it); connection_reset (the predecessor drains, or another process asks it);
// timed_out (it does not answer). listen(): see ServerSocketChannel::open. serve(): the same, and
// stopped, queueFull. A second process that asks before the first has answered is refused, and
// the predecessor logs it.
// Source: unix(7), SCM_RIGHTS.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nio/base/UniqueFunction.h>
#include <nio/channel/ServerSocketChannel.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

class Takeover {
  public:
    // Asks the process that serves at `path` for its listeners. Without a process there, there is
    // no predecessor. Blocks for `limit` at most.
    explicit Takeover(const std::string& path,
                      std::chrono::milliseconds limit = std::chrono::seconds(10));

    bool hasPredecessor() const { return static_cast<bool>(predecessor_); }

    // The predecessor's socket if it listens at this address, else a new one; a duplicate, for
    // ServerOptions say. This object owns the file of a Unix-domain socket.
    UniqueFd listen(const SocketAddress& address, const ListenOptions& options = {});

    // Tells that this process serves: its predecessor drains, offered sockets that listen() did not
    // take are closed, and `dispatcher` awaits a successor. `relieved` is called there once, when
    // the successor serves: drain then.
    void serve(SelectorThread& dispatcher, UniqueFunction<void()> relieved);

  private:
    ServerSocketChannel open(const SocketAddress& address, const ListenOptions& options);

    SocketAddress path_;
    UniqueFd predecessor_;
    std::vector<UniqueFd> offered_;
    std::vector<ServerSocketChannel> listeners_;
};

}  // namespace nio
