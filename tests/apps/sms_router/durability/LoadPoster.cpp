#include "apps/sms_router/durability/LoadPoster.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace router::scenarios {

LoadPoster::LoadPoster(const nio::SocketAddress& door, const std::string& account,
                       const std::string& key, Ledger& ledger)
    : account_(account), key_(key), ledger_(ledger), wire_(connectTo(door)) {
    post();
}

bool LoadPoster::pump() {
    return wire_.pumpUnits([this](nio::ByteView unread) { return take(unread); });
}

void LoadPoster::post() {
    name_ = ledger_.newName(account_);
    const nlohmann::json message{{"from", "12345"},
                                 {"to", "+4179" + name_.substr(name_.find('-') + 1)},
                                 {"text", name_},
                                 {"receipt", true}};
    const std::string body = message.dump();
    wire_.send(nio::asBytes("POST /v1/messages HTTP/1.1\r\nHost: router\r\nAuthorization: Bearer " +
                            key_ + "\r\nContent-Type: application/json\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body));
}

std::size_t LoadPoster::take(nio::ByteView unread) {
    const std::string_view text = nio::asText(unread);
    const std::size_t head = text.find("\r\n\r\n");
    if (head == text.npos) return 0;
    const std::string_view field = "Content-Length: ";
    const std::size_t length = text.find(field);
    const std::size_t body =
        length < head ? std::stoul(std::string(text.substr(length + field.size(), 8))) : 0;
    if (text.size() < head + 4 + body) return 0;
    EXPECT_TRUE(text.starts_with("HTTP/1.1 202")) << text;
    const auto answer = nlohmann::json::parse(text.substr(head + 4, body));
    ledger_.told(account_, name_, answer.at("id"));
    ++answered_;
    post();
    return head + 4 + body;
}

}  // namespace router::scenarios
