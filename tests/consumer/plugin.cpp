// A plugin with a server of its own: host.cpp loads it, twice. NIO_VISIBLE is all that it shows.
#include <cstdio>
#include <memory>

#include <nio/nio.h>

#define NIO_VISIBLE __attribute__((visibility("default")))

namespace {
std::unique_ptr<nio::Server> server;
}

extern "C" {

NIO_VISIBLE void pluginStart() {
    server = std::make_unique<nio::Server>(
        "127.0.0.1:0", nio::lines(), [](auto& peer, std::string_view line) { peer.send(line); });
    server->start();
}
NIO_VISIBLE int pluginTwice(int number) {
    return server->group()[0]
        .invokeAndWait([number] {
            nio::onDispatcher.assertCurrent();
            return 2 * number;
        })
        .value();
}
// Whether it knows the turn that it is called in, which may be one of the host.
NIO_VISIBLE bool pluginKnowsTheTurn() {
    try {
        nio::onDispatcher.assertCurrent();
        return true;
    } catch (const nio::WrongThreadError&) {
        return false;
    }
}
NIO_VISIBLE void pluginStop() {
    server.reset();
}
}
