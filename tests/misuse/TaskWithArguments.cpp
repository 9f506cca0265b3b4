// A task of a dispatcher is called without arguments.
#include <nio/loop/SelectorThread.h>

void post(nio::SelectorThread& dispatcher) {
    const auto task = [](nio::SelectorThread&) {};
    (void)dispatcher.invokeLater(task);  // must not compile: a task takes no arguments
    (void)dispatcher.name();
    (void)task;
}
