// An upgrade without a refused connect: a new process takes the listeners of its predecessor over,
// which drains. Both find each other by the path of a Unix-domain socket.
//
//     nio::Takeover takeover("/run/echo/takeover");
//     options.address = takeover.listen(address);
//     nio::Server server(std::move(options), ...);
//     server.run([&] {
//         takeover.serve(server.group()[0],
//                        [&] { server.group().requestClose(nio::DrainOptions::handedOver()); });
//     });
//
// The sockets themselves are passed on, so that what waits in a backlog is accepted by whoever
// accepts first. A successor that fails before serve() leaves its predecessor as it is.
//
// Thread: any, one at a time.
// Lifetime: none of its own after serve(): the dispatcher has all that a successor needs, and
// closes it in a drain.
// Errors: std::system_error, of the constructor: invalid_argument (an abstract name, to which
// anybody could connect); there is somebody at the path, who gives nothing (connection_reset: one
// who drains, or has another successor), or not in time (timed_out); of listen() what
// ServerSocketChannel::open says; of serve() as of that, and stopped, queueFull. One that asks
// while another may still become the successor is refused, with a line in the log. Source: unix(7)
// (SCM_RIGHTS).
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
    // Asks for the listeners of the process that serves there. No file, or one that nobody listens
    // at: there is no predecessor. Blocks for `limit` at most.
    explicit Takeover(const std::string& path,
                      std::chrono::milliseconds limit = std::chrono::seconds(10));

    bool hasPredecessor() const { return static_cast<bool>(predecessor_); }

    // The predecessor's socket if it listens at this address, else a new one; a duplicate, for
    // ServerOptions say. The file of a Unix-domain socket is this object's.
    UniqueFd listen(const SocketAddress& address, const ListenOptions& options = {});

    // This process serves: its predecessor drains from now on, what it had and listen() was not
    // asked for is closed, and a successor is awaited on `dispatcher`. `relieved` is called there
    // once, when the successor serves: drain then.
    void serve(SelectorThread& dispatcher, UniqueFunction<void()> relieved);

  private:
    ServerSocketChannel open(const SocketAddress& address, const ListenOptions& options);

    SocketAddress path_;
    UniqueFd predecessor_;
    std::vector<UniqueFd> offered_;
    std::vector<ServerSocketChannel> listeners_;
};

}  // namespace nio
