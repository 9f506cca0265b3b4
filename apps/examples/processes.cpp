// N processes share a port, and the kernel deals the connections: processes [ADDRESS] [N]
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <system_error>
#include <vector>

#include <nio/nio.h>

int main(int count, char** words) try {
    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7007";
    options.acceptor.listen.reusePort = true;
    options.group.threads = 1;
    const int processes = count > 2 ? std::stoi(words[2]) : 2;
    std::vector<pid_t> others;
    for (int number = 1; number < processes; ++number) {  // before there are threads
        const pid_t other = ::fork();
        if (other < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (other == 0) {
            others.clear();
            break;
        }
        others.push_back(other);
    }
    const std::string name = std::to_string(::getpid());
    nio::Server server(std::move(options),
                       nio::pipeline(nio::lines(), [name](auto& peer, std::string_view line) {
                           peer.send(name + ": " + std::string(line));
                       }));
    std::cout << name + " listening on " + server.address().toString() << std::endl;
    server.run();
    for (const pid_t other : others) ::kill(other, SIGTERM);
    for (const pid_t other : others) ::waitpid(other, nullptr, 0);
} catch (const std::exception& error) {
    return std::cerr << "processes: " << error.what() << '\n', 1;
}
