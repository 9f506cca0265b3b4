// host PLUGIN OTHER shared|own: a program that uses the library and loads two plugins that do so,
// too: all the same shared library, or each one of its own.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <nio/loop/SelectorThread.h>

namespace {

int mistakes = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "host: not so: %s\n", what);
    ++mistakes;
}

template <class Function>
Function* find(void* plugin, const char* name) {
    return reinterpret_cast<Function*>(dlsym(plugin, name));
}

void* load(const char* name) {
    void* const plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) std::fprintf(stderr, "host: %s\n", dlerror()), std::exit(1);
    find<void()>(plugin, "pluginStart")();
    return plugin;
}

void tryOut(void* plugin, nio::SelectorThread& dispatcher, bool isShared) {
    auto* const twice = find<int(int)>(plugin, "pluginTwice");
    auto* const knowsTheTurn = find<bool()>(plugin, "pluginKnowsTheTurn");
    expect(twice(21) == 42, "the plugin's server answers");
    expect(dispatcher.invokeAndWait([&] { return twice(2); }).value() == 4, "in a turn it does so");
    expect(!knowsTheTurn(), "there is no turn outside of one");
    expect(dispatcher.invokeAndWait([&] { return knowsTheTurn(); }).value() == isShared,
           "a turn of the host is one in the plugin where the library is the same");
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) return 2;
    const bool isShared = std::strcmp(words[3], "shared") == 0;
    nio::SelectorThread dispatcher;
    dispatcher.start();
    // The second one while the first is there.
    void* const first = load(words[1]);
    void* const second = load(words[2]);
    for (void* const plugin : {first, second}) tryOut(plugin, dispatcher, isShared);
    for (void* const plugin : {first, second}) {
        find<void()>(plugin, "pluginStop")();
        expect(dispatcher.invokeAndWait([] { return 7; }).value() == 7, "the host's goes on");
        expect(dlclose(plugin) == 0, "dlclose");
    }
    expect(dispatcher.invokeAndWait([] { return 8; }).value() == 8, "after dlclose, too");
    if (mistakes == 0) std::puts("host: fine");
    return mistakes == 0 ? 0 : 1;
}
