#include "apps/sms_router/durability/LoadEsme.h"

#include <stdexcept>

namespace router::scenarios {

namespace {

constexpr std::size_t windowOfEsme = 20;
// The router gives it no more than ten at a time.
constexpr int mostUnacknowledged = 5;

std::string behind(const std::string& text, const std::string& keyword) {
    const std::size_t found = text.find(keyword);
    if (found == std::string::npos) throw std::runtime_error(keyword + " is not in: " + text);
    const std::size_t start = found + keyword.size();
    return text.substr(start, text.find(' ', start) - start);
}

}  // namespace

LoadEsme::LoadEsme(const nio::SocketAddress& router, const std::string& account, Command kind,
                   std::mt19937& random, Ledger& ledger)
    : account_(account), random_(random), ledger_(ledger), wire_(connectTo(router)) {
    const std::string password = "secret" + account.substr(account.size() - 1);
    wire_.send(bindPdu(++sequence_, {.kind = kind, .systemId = account, .password = password}));
}

bool LoadEsme::pump() {
    if (bound_ && submitting_) submitMore();
    return wire_.pump([this](const OwnedPdu& pdu) { arrived(pdu); });
}

void LoadEsme::submitMore() {
    while (unanswered_.size() < windowOfEsme) {
        const std::string name = ledger_.newName(account_);
        Message message{.to = "4179" + name.substr(name.find('-') + 1), .text = name};
        message.from = account_ == "esme1" ? "12345" : "54321";
        wire_.send(submitSm(++sequence_, message));
        unanswered_.emplace(sequence_, name);
    }
}

void LoadEsme::arrived(const OwnedPdu& pdu) {
    switch (pdu.command()) {
        case Command::bindTransceiverResp:
        case Command::bindTransmitterResp:
        case Command::bindReceiverResp:
            EXPECT_EQ(pdu.status(), Status::ok) << "the bind of " << account_;
            bound_ = true;
            break;
        case Command::submitSmResp: answered(pdu); break;
        case Command::deliverSm: delivered(pdu); break;
        default:
            if (smpp::isResponse(pdu.command())) break;
            wire_.send(bare(smpp::responseTo(pdu.command()), pdu.sequence()));
    }
}

void LoadEsme::answered(const OwnedPdu& pdu) {
    const auto found = unanswered_.find(pdu.sequence());
    ASSERT_NE(found, unanswered_.end()) << account_ << " got an answer to nothing";
    EXPECT_EQ(pdu.status(), Status::ok) << "the answer to " << found->second;
    if (pdu.status() == Status::ok) ledger_.told(account_, found->second, pdu.id());
    unanswered_.erase(found);
    ++answered_;
}

void LoadEsme::delivered(const OwnedPdu& pdu) {
    if (submitting_ && unacknowledged_ < mostUnacknowledged && random_() % 16 == 0) {
        ++unacknowledged_;
        return;
    }
    wire_.send(withText(Command::deliverSmResp, pdu.sequence(), ""));
    const std::string text = pdu.message();
    if (text.starts_with("mo-")) return ledger_.message(text);
    ledger_.receipt(account_, behind(text, "text:"), behind(text, "id:"));
}

}  // namespace router::scenarios
