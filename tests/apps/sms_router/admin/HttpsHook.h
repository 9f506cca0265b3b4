// An HTTPS server that accepts each request, and hands them to the test in their order.
//
// Thread: any.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>

#include <nio/net/Server.h>
#include <nio/pipeline/PipelineFactory.h>

#include <nio-tls/Tls.h>

namespace routertest {

class HttpsHook {
  public:
    explicit HttpsHook(const nio::TlsServerFiles& files)
        : server_("127.0.0.1:0", nio::tls(nio::TlsContext::server(files).orThrow()),
                  [this](auto& peer, std::string_view request) {
                      put(std::string(request));
                      peer.send("HTTP/1.1 204 No Content\r\n\r\n");
                  }) {
        server_.start();
    }
    ~HttpsHook() {
        server_.requestStop();
        server_.requestStop();
        server_.wait();
    }
    std::string url(const std::string& host = "127.0.0.1") const {
        return "https://" + host + ":" + std::to_string(server_.address().port()) + "/hook";
    }
    std::string hostAndPort() const { return server_.address().toString(); }
    // The next request, head and body: it comes in one TLS record. Throws where none comes.
    std::string take() {
        std::unique_lock lock(mutex_);
        if (!came_.wait_for(lock, std::chrono::seconds(60), [&] { return !requests_.empty(); })) {
            throw std::runtime_error("no request");
        }
        std::string first = std::move(requests_.front());
        requests_.pop_front();
        return first;
    }

  private:
    void put(std::string request) {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
        came_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<std::string> requests_;
    nio::Server server_;
};

}  // namespace routertest
