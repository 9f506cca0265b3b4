// Counts the bytes and lines of its standard input, a pipe or a terminal: watch_input
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iostream>

#include <nio/nio.h>

int main() try {
    nio::SelectorThreadOptions options;
    options.idleStop = std::chrono::milliseconds(0);  // run() returns when nothing is watched
    nio::SelectorThread dispatcher(std::move(options));
    std::size_t bytes = 0;
    std::size_t lines = 0;
    bool hasEnded = false;
    nio::Watch input;
    input = nio::watch(dispatcher, STDIN_FILENO, nio::Interest::read, [&] {
                std::array<char, 4096> buffer;
                const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
                if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
                if (count <= 0) return hasEnded = true, input.unwatch();
                bytes += static_cast<std::size_t>(count);
                lines += static_cast<std::size_t>(
                    std::count(buffer.begin(), buffer.begin() + count, '\n'));
            }).orThrow();
    dispatcher.run();
    if (!hasEnded) return 1;  // it cannot be watched, and the log says why
    std::cout << bytes << " bytes, " << lines << " lines" << std::endl;
} catch (const std::exception& error) {
    return std::cerr << "watch_input: " << error.what() << '\n', 1;
}
