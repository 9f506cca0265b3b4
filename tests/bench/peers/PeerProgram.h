// What the echo servers of this folder have in common. Each is small, and written as the library
// that it shows wants to be used; echo_bench.py measures them beside echo-server.
//
//     PEER PORT [THREADS] [WAY]    port 0 takes a free one; the first line of the output names it
//
// Loopback only. Errors end the program with a line.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <string>

namespace peers {

constexpr std::size_t bufferBytes = 16 * 1024;

// Serves the connections of a listening socket, which does not block, for ever.
using Loop = void (*)(int listener);

// A loop on each of THREADS threads, each with a listening socket of its own on the same port.
int run(int argc, char** argv, Loop loop);
// The third argument; empty where there is none.
const std::string& way();

[[noreturn]] void fail(const char* what);
// Small answers leave at once.
void sendAtOnce(int socket);
// The next connection, which does not block; -1 where there is none.
int acceptFrom(int listener);
// Like recv and send, but for -1 where the socket would block, and 0 where it is at its end or
// broken.
ssize_t receive(int socket, char* buffer, std::size_t size);
ssize_t sendSome(int socket, const char* bytes, std::size_t size);

}  // namespace peers
