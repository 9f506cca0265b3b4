// host PLUGIN shared|own: a program that uses the library and loads a plugin that does so, too:
// both the same shared library, or each one of its own.
#include <dlfcn.h>

#include <cstdio>
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

}  // namespace

int main(int count, char** words) {
    void* const plugin = count == 3 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (plugin == nullptr) return std::fprintf(stderr, "host: %s\n", dlerror()), 1;
    const bool isShared = std::strcmp(words[2], "shared") == 0;
    auto* const twice = find<int(int)>(plugin, "pluginTwice");
    auto* const knowsTheTurn = find<bool()>(plugin, "pluginKnowsTheTurn");

    find<void()>(plugin, "pluginStart")();
    nio::SelectorThread dispatcher;
    dispatcher.start();
    expect(twice(21) == 42, "the plugin's dispatcher answers");
    expect(dispatcher.invokeAndWait([&] { return twice(2); }).value() == 4, "in a turn it does so");
    expect(!knowsTheTurn(), "there is no turn outside of one");
    expect(dispatcher.invokeAndWait([&] { return knowsTheTurn(); }).value() == isShared,
           "a turn of the host is one in the plugin where the library is the same");
    find<void()>(plugin, "pluginStop")();
    expect(dispatcher.invokeAndWait([] { return 7; }).value() == 7, "the host's goes on");
    expect(dlclose(plugin) == 0, "dlclose");
    expect(dispatcher.invokeAndWait([] { return 8; }).value() == 8, "after dlclose, too");
    if (mistakes == 0) std::puts("host: fine");
    return mistakes == 0 ? 0 : 1;
}
