// An HTTP server in the hands of a test: it takes connections, reads a request, and answers what
// the test says.
//
// Thread: one at a time. Errors: std::runtime_error.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "support/BareListener.h"

namespace routertest {

class HookServer {
  public:
    std::string url(const std::string& path = "/hook") const {
        return "http://" + listener_.address.toString() + path;
    }
    const nio::SocketAddress& address() const { return listener_.address; }

    // Whether a connection waits, or comes within this time.
    bool isAsked(std::chrono::milliseconds longest) const {
        return waitFor(listener_.fd.get(), longest);
    }
    // Takes a connection and reads its request, head and body. Without a request: "".
    std::string take(std::chrono::milliseconds longest = std::chrono::seconds(60)) {
        if (!isAsked(longest)) throw std::runtime_error("no request");
        connection_ = nio::UniqueFd(::accept(listener_.fd.get(), nullptr, nullptr));
        std::string request;
        while (!isWhole(request)) {
            char block[4096];
            if (!waitFor(connection_.get(), longest)) throw std::runtime_error("half a request");
            const ssize_t count = ::read(connection_.get(), block, sizeof block);
            if (count <= 0) break;
            request.append(block, static_cast<std::size_t>(count));
        }
        return request;
    }
    void write(const std::string& text) {
        if (::write(connection_.get(), text.data(), text.size()) < 0) {
            throw std::runtime_error("write");
        }
    }
    // And closes the connection.
    void answer(const std::string& text) {
        write(text);
        connection_.reset();
    }
    void accept() { answer("HTTP/1.1 204 No Content\r\n\r\n"); }
    // take() and accept(): the body.
    std::string body() {
        const std::string request = take();
        accept();
        return request.substr(request.find("\r\n\r\n") + 4);
    }

  private:
    static bool waitFor(int fd, std::chrono::milliseconds longest) {
        pollfd entry{fd, POLLIN, 0};
        return ::poll(&entry, 1, static_cast<int>(longest.count())) == 1;
    }
    static bool isWhole(const std::string& request) {
        const std::size_t head = request.find("\r\n\r\n");
        const std::size_t length = request.find("Content-Length: ");
        if (head == std::string::npos) return false;
        if (length == std::string::npos) return request.starts_with("GET ");
        return request.size() - head - 4 >= std::stoul(request.substr(length + 16));
    }

    support::BareListener listener_;
    nio::UniqueFd connection_;
};

}  // namespace routertest
