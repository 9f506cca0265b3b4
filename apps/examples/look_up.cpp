// Answers each line, a user's name, with that user's home directory: look_up [ADDRESS]
#include <array>
#include <iostream>
#include <string>

#include <pwd.h>

#include <nio/nio.h>

// May ask a directory server, and block.
std::string homeOf(const std::string& user) {
    std::array<char, 16 * 1024> buffer;
    passwd entry{};
    passwd* found = nullptr;
    const int failed = getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (failed != 0) return "try again later";
    return found == nullptr ? "no such user" : found->pw_dir;
}

int main(int count, char** words) try {
    nio::SelectorThreadGroupOptions blocking;
    blocking.threads = 16;  // look-ups at a time
    blocking.thread = nio::SelectorThreadOptions::forBlocking("look-up");
    nio::SelectorThreadGroup lookUps(std::move(blocking));
    lookUps.start();

    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7009";
    nio::Server server(std::move(options), nio::pipeline(nio::lines(), nio::on(lookUps),
                                                         [](auto& peer, std::string_view user) {
                                                             peer.send(homeOf(std::string(user)));
                                                         }));
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "look_up: " << error.what() << '\n', 1;
}
