// A plugin with a dispatcher of its own: host.cpp loads it. NIO_VISIBLE is all that it shows.
#include <cstdio>
#include <memory>

#include <nio/loop/SelectorThread.h>

#define NIO_VISIBLE __attribute__((visibility("default")))

namespace {
std::unique_ptr<nio::SelectorThread> dispatcher;
}

extern "C" {

NIO_VISIBLE void pluginStart() {
    nio::SelectorThreadOptions options;
    options.name = "plugin";
    dispatcher = std::make_unique<nio::SelectorThread>(std::move(options));
    dispatcher->start();
}
NIO_VISIBLE int pluginTwice(int number) {
    return dispatcher
        ->invokeAndWait([number] {
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
    dispatcher.reset();
}
}
