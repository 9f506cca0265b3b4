// Sockets that come from another process: inherited from the one that started this one (systemd's
// socket activation), or sent over a Unix-domain socket. Simulations do not replace it.
//
// Thread: any; listenFds() before there are other threads.
// Errors: Result and IoResult; the context names the call and the descriptor.
// Source: sd_listen_fds(3), unix(7) (SCM_RIGHTS).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <nio/sys/IoResult.h>
#include <nio/sys/UniqueFd.h>

namespace nio {

// The sockets that a service manager has passed to this process (LISTEN_FDS), in its order; none if
// it passed none, or passed them to another process (LISTEN_PID). They are close-on-exec from now
// on. The variables are unset, so that started programs do not take them for theirs: a second call
// returns none. See ServerSocketChannel::adopt.
// Errors: invalid_argument: a variable is malformed; bad_file_descriptor: one is not open. No
// descriptor is closed then.
Result<std::vector<UniqueFd>> listenFds();

namespace kernel {

// Checks that it is a stream socket (TCP or Unix-domain) that listens, and makes it non-blocking
// and close-on-exec.
// Errors: bad_file_descriptor, not_a_socket, wrong_protocol_type (not a stream), invalid_argument
// (it does not listen).
Result<void> adoptListener(int fd);
// The same for a connected one; not_connected if it is not, invalid_argument if it listens.
Result<void> adoptConnection(int fd);

// Another descriptor of the same open file, close-on-exec. The caller's stays the caller's.
Result<UniqueFd> duplicate(int fd);

// Sends copies of descriptors (1 to 253) over a Unix-domain socket, with at least one byte. done:
// all of them went with the first byte; bytes are left over as with send().
IoResult sendDescriptors(int socket, ByteView bytes, std::span<const int> descriptors);

// What one receive got: the descriptors that came with these bytes, close-on-exec. failed with
// invalid_argument: `into` is empty; with message_size: there were more than 253, or no descriptors
// were left in this process; those that came are closed.
struct ReceivedDescriptors {
    IoResult result;
    std::vector<UniqueFd> descriptors;
};
ReceivedDescriptors receiveDescriptors(int socket, std::span<Byte> into);

}  // namespace kernel

}  // namespace nio
