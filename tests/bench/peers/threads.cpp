// A thread for each client, which blocks: one listening thread, whatever THREADS is.
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <thread>

#include "PeerProgram.h"

namespace {

constexpr std::size_t stackBytes = 64 * 1024;

bool sendAll(int socket, const char* bytes, ssize_t size) {
    while (size > 0) {
        const ssize_t sent = peers::sendSome(socket, bytes, static_cast<std::size_t>(size));
        if (sent <= 0) return false;
        bytes += sent;
        size -= sent;
    }
    return true;
}

void* serve(void* argument) {
    const int socket = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
    std::array<char, peers::bufferBytes> buffer;
    for (;;) {
        const ssize_t got = peers::receive(socket, buffer.data(), buffer.size());
        if (got <= 0 || !sendAll(socket, buffer.data(), got)) break;
    }
    ::close(socket);
    return nullptr;
}

void serveAll(int listener) {
    ::fcntl(listener, F_SETFL, ::fcntl(listener, F_GETFL) & ~O_NONBLOCK);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, stackBytes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (;;) {
        const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) {  // no descriptor is free: one will be
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        peers::sendAtOnce(socket);
        pthread_t thread;
        const auto argument = reinterpret_cast<void*>(static_cast<std::intptr_t>(socket));
        if (::pthread_create(&thread, &attributes, serve, argument) != 0) ::close(socket);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) argv[2][0] = '1', argv[2][1] = '\0';
    return peers::run(argc, argv, serveAll);
}
