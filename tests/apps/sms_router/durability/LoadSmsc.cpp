#include "apps/sms_router/durability/LoadSmsc.h"

namespace router::scenarios {

using nio::kerneltest::Family;

namespace {

constexpr std::size_t windowOfSmsc = 200;
constexpr std::size_t longestDelayMs = 30;

bool isTemporary(Status status) {
    return status == Status::sysErr || status == Status::msgQFul || status == Status::xTAppn ||
           status == Status::throttled;
}

Message receipt(const OwnedPdu& submit, const std::string& id) {
    Message receipt = receiptOf(id);
    receipt.text.erase(receipt.text.rfind("text:"));
    receipt.text += "text:" + submit.message();
    receipt.from = submit.text(Field::destinationAddress);
    receipt.to = submit.text(Field::sourceAddress);
    receipt.tlvs = {{Tag::receiptedMessageId, id + '\0'}};
    return receipt;
}

}  // namespace

LoadSmsc::LoadSmsc(std::mt19937& random) : random_(random), listener_(Family::ipv4, folder_) {}

void LoadSmsc::addInterests(std::vector<pollfd>& interests) const {
    interests.push_back({listener_.fd(), POLLIN, 0});
    if (wire_) interests.push_back(wire_->interest());
}

void LoadSmsc::pump() {
    if (!wire_) {
        nio::kernel::Accepted accepted = nio::kernel::accept(listener_.fd());
        if (!accepted.result.isDone()) return;
        (void)nio::kernel::setNoDelay(accepted.fd.get(), true).ok();
        wire_.emplace(std::move(accepted.fd));
    }
    if (bound_ && !numbers_.empty() && random_() % 4 == 0) makeMessage();
    sendWhatIsDue();
    if (!wire_->pump([this](const OwnedPdu& pdu) { arrived(pdu); })) lost();
}

void LoadSmsc::arrived(const OwnedPdu& pdu) {
    if (smpp::isBind(pdu.command())) {
        wire_->send(withText(smpp::responseTo(pdu.command()), pdu.sequence(), "smsc"));
        bound_ = true;
    } else if (pdu.command() == Command::submitSm) {
        accept(pdu);
    } else if (pdu.command() == Command::deliverSmResp) {
        acknowledge(pdu);
    } else if (!smpp::isResponse(pdu.command())) {
        wire_->send(bare(smpp::responseTo(pdu.command()), pdu.sequence()));
    }
}

void LoadSmsc::accept(const OwnedPdu& submit) {
    const std::string id = std::to_string(++accepted_);
    wire_->send(withText(Command::submitSmResp, submit.sequence(), id));
    waiting_.push_back({submit.message(), receipt(submit, id), soon()});
}

void LoadSmsc::acknowledge(const OwnedPdu& answer) {
    const auto found = sent_.find(answer.sequence());
    if (found == sent_.end()) return;
    Outgoing outgoing = std::move(found->second);
    sent_.erase(found);
    if (answer.status() == Status::ok) {
        acknowledged_.insert(outgoing.name);
    } else if (isTemporary(answer.status())) {
        outgoing.due = soon();
        waiting_.push_back(std::move(outgoing));
    } else {
        refused_.insert(outgoing.name);
    }
}

void LoadSmsc::makeMessage() {
    Message message{.from = "41791234567", .to = numbers_[random_() % numbers_.size()]};
    message.registeredDelivery = 0;
    message.text = "mo-" + std::to_string(++messages_);
    waiting_.push_back({message.text, message, soon()});
}

void LoadSmsc::sendWhatIsDue() {
    const nio::TimePoint now = nio::Clock::now();
    for (std::size_t left = waiting_.size(); left > 0 && bound_ && sent_.size() < windowOfSmsc;
         --left) {
        Outgoing next = std::move(waiting_.front());
        waiting_.pop_front();
        if (next.due > now) {
            waiting_.push_back(std::move(next));
            continue;
        }
        wire_->send(deliverSm(++sequence_, next.message));
        sent_.emplace(sequence_, std::move(next));
    }
}

void LoadSmsc::lost() {
    wire_.reset();
    bound_ = false;
    for (auto& [sequence, outgoing] : sent_) waiting_.push_back(std::move(outgoing));
    sent_.clear();
}

nio::TimePoint LoadSmsc::soon() {
    return nio::Clock::after(std::chrono::milliseconds(random_() % longestDelayMs));
}

std::string LoadSmsc::describe() const {
    return "the SMSC has " + std::to_string(waiting_.size()) + " to send, " +
           std::to_string(sent_.size()) + " to be acknowledged, " +
           std::to_string(acknowledged_.size()) + " acknowledged, " +
           std::to_string(refused_.size()) + " refused";
}

}  // namespace router::scenarios
