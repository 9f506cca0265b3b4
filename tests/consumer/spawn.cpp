// A program that starts itself anew in a callback, by fork and exec: the child gets no descriptor
// of the library and has a dispatcher of its own, and the parent's goes on.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <nio/loop/SelectorThread.h>
#include <nio/timers/Timers.h>

namespace {

// As text, with the one that reads the list.
std::string openDescriptors() {
    DIR* const list = opendir("/proc/self/fd");
    if (list == nullptr) std::perror("spawn: /proc/self/fd"), std::exit(1);
    int count = 0;
    while (readdir(list) != nullptr) ++count;
    closedir(list);
    return std::to_string(count);
}

int child(const std::string& expected) {
    const std::string found = openDescriptors();
    if (found != expected) {
        std::fprintf(stderr, "spawn: descriptors: %s, not %s\n", found.data(), expected.data());
        return 1;
    }
    nio::SelectorThread dispatcher;
    dispatcher.start();
    return dispatcher.invokeAndWait([] { return 0; }).value();
}

int statusOfChild(const std::string& descriptors) {
    const pid_t started = fork();
    if (started == 0) {
        execl("/proc/self/exe", "spawn", descriptors.data(), nullptr);
        _exit(127);
    }
    int status = -1;
    return started > 0 && waitpid(started, &status, 0) == started ? status : -1;
}

bool goesOnBeside(nio::SelectorKind engine, const std::string& descriptors) {
    nio::SelectorThreadOptions options;
    options.selector.kind = engine;
    nio::SelectorThread dispatcher(std::move(options));
    nio::Timers timers;
    std::atomic<int> ticks{0};
    nio::Timer every = timers.every(std::chrono::milliseconds(1), dispatcher, [&] {
        ++ticks;
        ticks.notify_one();
    });
    dispatcher.start();
    const auto status = dispatcher.invokeAndWait([&] { return statusOfChild(descriptors); });
    ticks.wait(ticks);
    every.cancel();
    return status.value() == 0;
}

}  // namespace

int main(int count, char** words) {
    if (count > 1) return child(words[1]);
    const std::string descriptors = openDescriptors();  // what it was started with
    for (const nio::SelectorKind engine : nio::selectorKinds) {
        nio::SelectorOptions options;
        options.kind = engine;
        if (!nio::Selector::open(options)) continue;  // the kernel refuses it
        if (goesOnBeside(engine, descriptors)) continue;
        std::fprintf(stderr, "spawn: a child failed beside %s\n", nameOf(engine).data());
        return 1;
    }
    std::puts("spawn: fine");
}
