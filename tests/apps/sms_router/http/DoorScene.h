// The router with its HTTP door, bound to one SMSC, and a client of the door.
//
//     DoorScene scene;
//     DoorClient client = scene.client();
//     client.post(R"({"to": "41791234567", "text": "hello"})");
//     scene.smsc.answer(scene.smsc.nextSubmit(), "17");
//     EXPECT_EQ(client.next().status, 202);
//
// esme1's key is doorKey.
//
// Thread: one at a time. Errors: std::runtime_error, as SmppPeer's.
#pragma once

#include <poll.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <nio/sys/Kernel.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "sms_router/config/ApiKey.h"

namespace router::scenarios {

inline const std::string doorKey = "nio_key";
inline const std::string bearer = "Bearer " + doorKey;
inline const std::string basic = "Basic ZXNtZTE6c2VjcmV0MQ==";       // esme1:secret1
inline const std::string wrongBasic = "Basic ZXNtZTE6c2VjcmV0Mg==";  // esme1:secret2

// One connection, which stays open.
class DoorClient {
  public:
    DoorClient(const nio::SocketAddress& address, std::string authorization)
        : host_(address.toString()),
          authorization_(std::move(authorization)),
          stream_(plainStream(connectTo(address))) {}

    // Headers are whole lines.
    void send(const std::string& method, const std::string& path, const std::string& body = {},
              const std::string& headers = {}) {
        std::string request = method + " " + path + " HTTP/1.1\r\nHost: " + host_ + "\r\n";
        if (!authorization_.empty()) request += "Authorization: " + authorization_ + "\r\n";
        request += "Content-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n";
        stream_->send(nio::asBytes(request + body));
    }
    void post(const std::string& body) {
        send("POST", "/v1/messages", body, "Content-Type: application/json\r\n");
    }
    // The next answer; nothing where the connection has ended.
    std::optional<HttpAnswer> nextOrEnd() {
        for (;;) {
            if (auto answer = takeWhole()) return answer;
            if (!stream_->receive(unread_)) return std::nullopt;
        }
    }
    HttpAnswer next() {
        auto answer = nextOrEnd();
        if (!answer) throw std::runtime_error("the door has ended the connection");
        return *std::move(answer);
    }
    HttpAnswer get(const std::string& path) {
        send("GET", path);
        return next();
    }
    HttpAnswer posted(const std::string& body) {
        post(body);
        return next();
    }
    int fd() const { return stream_->fd(); }

  private:
    std::optional<HttpAnswer> takeWhole() {
        const std::string_view text = nio::asText(unread_);
        const std::size_t end = text.find("\r\n\r\n");
        if (end == text.npos) return std::nullopt;
        const std::string head(text.substr(0, end));
        const std::string name = "\r\nContent-Length: ";
        const std::size_t length = head.find(name);
        const std::size_t size =
            length == head.npos ? 0 : std::stoul(head.substr(length + name.size()));
        const std::size_t whole = end + 4 + size;
        if (text.size() < whole) return std::nullopt;
        HttpAnswer answer{std::stoi(head.substr(9, 3)), head,
                          std::string(text.substr(end + 4, size))};
        unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(whole));
        return answer;
    }

    std::string host_;
    std::string authorization_;
    std::unique_ptr<Stream> stream_;
    nio::Bytes unread_;
};

// Which of both has an answer.
inline DoorClient& firstAnswered(DoorClient& a, DoorClient& b) {
    pollfd both[]{{a.fd(), POLLIN, 0}, {b.fd(), POLLIN, 0}};
    if (nio::kernel::waitPoll(both, patience).orThrow() == 0) {
        throw std::runtime_error("no answer");
    }
    return both[0].revents != 0 ? a : b;
}

struct DoorSetup {
    RouterSetup router{};
    std::string http{};       // lines of [http]
    std::string connector{};  // of the connector "smsc"
    bool admin = false;
};

inline DoorSetup withStore(std::string esme1 = {}) {
    return {.router = {.esme1 = std::move(esme1), .durability = "commit"}};
}

struct DoorScene : OneSmsc {
    explicit DoorScene(const DoorSetup& setup = {}) : OneSmsc(withDoor(setup), setup.connector) {
        http = router.nextHttpAddress();
        if (setup.admin) admin = router.nextHttpAddress();
    }

    DoorClient client(const std::string& authorization = bearer) const {
        return DoorClient(http, authorization);
    }
    // What the SMSC answers to `json` with `status`.
    HttpAnswer refused(DoorClient& client, const std::string& json, Status status) {
        client.post(json);
        smsc.refuse(smsc.nextSubmit(), status);
        return client.next();
    }
    HttpAnswer acceptedAs(DoorClient& client, const std::string& json, const std::string& smscId) {
        client.post(json);
        smsc.answer(smsc.nextSubmit(), smscId);
        return client.next();
    }

    // After kill -9, bound to the SMSC again.
    void startAgain() {
        router.kill();
        router.startAgain();
        smsc = listener.accept();
        router.address();
        http = router.nextHttpAddress();
    }

    nio::SocketAddress http;
    nio::SocketAddress admin;

  private:
    static RouterSetup withDoor(const DoorSetup& door) {
        RouterSetup setup = door.router;
        setup.esme1 += "\napi_keys = [\"" + apiKeyDigest(doorKey) + "\"]\n";
        setup.more += "\n[http]\nport = 0\n" + door.http + "\n";
        if (door.admin) setup.more += "[admin]\nport = 0\n";
        return setup;
    }
};

// One message that is right.
inline const std::string someMessage = R"({"from": "12345", "to": "41791234567", "text": "hello"})";

}  // namespace router::scenarios
