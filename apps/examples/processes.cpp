// N processes share a port, and the kernel deals the connections: processes [ADDRESS] [N]
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <system_error>
#include <vector>

#include <nio/nio.h>

// Ends them with the first one, whatever ends that.
struct Others {
    std::vector<pid_t> ids;
    ~Others() {
        for (const pid_t id : ids) ::kill(id, SIGTERM);
        for (const pid_t id : ids) ::waitpid(id, nullptr, 0);
    }
};

int main(int count, char** words) try {
    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7007";  // port 0: one for each of them
    options.acceptor.listen.reusePort = true;
    options.group.threads = 1;
    const int processes = count > 2 ? std::stoi(words[2]) : 2;
    Others others;
    for (int number = 1; number < processes; ++number) {  // before there are threads
        const pid_t other = ::fork();
        if (other < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (other == 0) {
            others.ids.clear();
            break;
        }
        others.ids.push_back(other);
    }
    const std::string name = std::to_string(::getpid());
    nio::Server server(std::move(options),
                       nio::pipeline(nio::lines(), [name](auto& peer, std::string_view line) {
                           peer.send(name + ": " + std::string(line));
                       }));
    std::cout << name + " listening on " + server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "processes: " << error.what() << '\n', 1;
}
