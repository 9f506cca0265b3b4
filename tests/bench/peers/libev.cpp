// libev: a loop on epoll for each thread, a read watcher for each connection, a write watcher only
// for what the kernel did not take.
#include <ev.h>
#include <unistd.h>

#include <string>

#include "PeerProgram.h"

namespace {

using Loop = struct ev_loop;

thread_local char buffer[peers::bufferBytes];

struct Connection {
    ev_io readable{};
    ev_io writable{};
    std::string unsent;

    static void onReadable(Loop* loop, ev_io* watcher, int) {
        while (static_cast<Connection*>(watcher->data)->echo(loop)) {
        }
    }
    static void onWritable(Loop* loop, ev_io* watcher, int) {
        static_cast<Connection*>(watcher->data)->flush(loop);
    }

    bool echo(Loop* loop) {
        const ssize_t got = peers::receive(readable.fd, buffer, sizeof buffer);
        if (got <= 0) return got == 0 && close(loop);
        const ssize_t sent = peers::sendSome(readable.fd, buffer, static_cast<std::size_t>(got));
        if (sent == got) return got == static_cast<ssize_t>(sizeof buffer);
        if (sent == 0) return close(loop);
        unsent.assign(buffer + (sent > 0 ? sent : 0), buffer + got);
        ev_io_stop(loop, &readable);
        ev_io_start(loop, &writable);
        return false;
    }

    void flush(Loop* loop) {
        const ssize_t sent = peers::sendSome(readable.fd, unsent.data(), unsent.size());
        if (sent == 0) return static_cast<void>(close(loop));
        if (sent < 0) return;
        unsent.erase(0, static_cast<std::size_t>(sent));
        if (!unsent.empty()) return;
        ev_io_stop(loop, &writable);
        ev_io_start(loop, &readable);
    }

    bool close(Loop* loop) {
        ev_io_stop(loop, &readable);
        ev_io_stop(loop, &writable);
        ::close(readable.fd);
        delete this;
        return false;
    }
};

void onConnects(Loop* loop, ev_io* watcher, int) {
    for (int fd = 0; (fd = peers::acceptFrom(watcher->fd)) >= 0;) {
        auto* connection = new Connection;
        ev_io_init(&connection->readable, Connection::onReadable, fd, EV_READ);
        ev_io_init(&connection->writable, Connection::onWritable, fd, EV_WRITE);
        connection->readable.data = connection->writable.data = connection;
        ev_io_start(loop, &connection->readable);
    }
}

void serve(int listener) {
    Loop* loop = ev_loop_new(EVBACKEND_EPOLL);
    if (loop == nullptr) peers::fail("ev_loop_new");
    ev_io connects;
    ev_io_init(&connects, onConnects, listener, EV_READ);
    ev_io_start(loop, &connects);
    ev_run(loop, 0);
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, serve);
}
