// Asks the admin interface, one connection a request.
//
//     AdminClient admin(router.adminAddress());
//     EXPECT_EQ(admin.post("/connectors/smsc/stop").status, 200);
//     EXPECT_TRUE(admin.status()["connectors"][0]["stopped"]);
//
// Thread: one at a time. Errors: std::runtime_error.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>

#include <nio/sys/SocketAddress.h>

#include "apps/sms_router/scenarios/SmppPeer.h"

namespace router::scenarios {

struct HttpAnswer {
    int status = 0;
    std::string head{};
    std::string body{};
    nlohmann::json json() const { return nlohmann::json::parse(body); }
};

class AdminClient {
  public:
    explicit AdminClient(const nio::SocketAddress& address, const std::string& token = {})
        : address_(address), token_(token) {}

    HttpAnswer get(const std::string& path) const { return ask("GET", path); }
    HttpAnswer post(const std::string& path) const { return ask("POST", path); }
    nlohmann::json status() const { return get("/status.json").json(); }

  private:
    HttpAnswer ask(const std::string& method, const std::string& path) const {
        const auto stream = plainStream(connectTo(address_));
        std::string request = method + " " + path + " HTTP/1.1\r\nHost: " + address_.toString() +
                              "\r\nConnection: close\r\nContent-Length: 0\r\n";
        if (!token_.empty()) request += "Authorization: Bearer " + token_ + "\r\n";
        stream->send(nio::asBytes(request + "\r\n"));
        nio::Bytes answer;
        while (stream->receive(answer)) {
        }
        return parsed(std::string(nio::asText(answer)));
    }

    static HttpAnswer parsed(const std::string& answer) {
        const std::size_t end = answer.find("\r\n\r\n");
        if (end == std::string::npos) throw std::runtime_error("no HTTP answer: " + answer);
        return {std::stoi(answer.substr(9, 3)), answer.substr(0, end), answer.substr(end + 4)};
    }

    nio::SocketAddress address_;
    std::string token_;
};

}  // namespace router::scenarios
