// libevent's events, without its buffers: a base without locks for each thread, a persistent read
// event for each connection, a write event only for what the kernel did not take.
#include <event2/event.h>
#include <event2/event_struct.h>
#include <unistd.h>

#include <string>

#include "PeerProgram.h"

namespace {

thread_local char buffer[peers::bufferBytes];

struct Connection {
    event readable{};
    event writable{};
    std::string unsent;
    int fd = -1;

    static void onReadable(evutil_socket_t, short, void* self) {
        while (static_cast<Connection*>(self)->echo()) {
        }
    }
    static void onWritable(evutil_socket_t, short, void* self) {
        static_cast<Connection*>(self)->flush();
    }

    bool echo() {
        const ssize_t got = peers::receive(fd, buffer, sizeof buffer);
        if (got <= 0) return got == 0 && close();
        const ssize_t sent = peers::sendSome(fd, buffer, static_cast<std::size_t>(got));
        if (sent == got) return got == static_cast<ssize_t>(sizeof buffer);
        if (sent == 0) return close();
        unsent.assign(buffer + (sent > 0 ? sent : 0), buffer + got);
        event_del(&readable);
        event_add(&writable, nullptr);
        return false;
    }

    void flush() {
        const ssize_t sent = peers::sendSome(fd, unsent.data(), unsent.size());
        if (sent == 0) return static_cast<void>(close());
        if (sent < 0) return;
        unsent.erase(0, static_cast<std::size_t>(sent));
        if (!unsent.empty()) return;
        event_del(&writable);
        event_add(&readable, nullptr);
    }

    bool close() {
        event_del(&readable);
        event_del(&writable);
        ::close(fd);
        delete this;
        return false;
    }
};

void onConnects(evutil_socket_t listener, short, void* base) {
    for (int fd = 0; (fd = peers::acceptFrom(listener)) >= 0;) {
        auto* connection = new Connection;
        connection->fd = fd;
        auto* events = static_cast<event_base*>(base);
        event_assign(&connection->readable, events, fd, EV_READ | EV_PERSIST,
                     Connection::onReadable, connection);
        event_assign(&connection->writable, events, fd, EV_WRITE | EV_PERSIST,
                     Connection::onWritable, connection);
        event_add(&connection->readable, nullptr);
    }
}

void serve(int listener) {
    event_config* config = event_config_new();
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
    event_base* base = event_base_new_with_config(config);
    if (base == nullptr) peers::fail("event_base_new");
    event_add(event_new(base, listener, EV_READ | EV_PERSIST, onConnects, base), nullptr);
    event_base_dispatch(base);
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, serve);
}
