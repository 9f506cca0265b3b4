#include "smpp_bench/smsc/Smsc.h"

#include <random>

#include <smpp/pdu/PduWriter.h>

#include "smpp_bench/smsc/SmscLink.h"

namespace smppbench {

using smpp::Command;
using smpp::Field;
using smpp::Pdu;
using smpp::PduWriter;
using smpp::Status;

namespace {

std::uint64_t firstNumberOf(const SmscOptions& options) {
    if (options.firstId != 0) return options.firstId;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    constexpr std::uint64_t most = (std::uint64_t{1} << 48) - 1;
    return static_cast<std::uint64_t>(
               std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) &
           most;
}

class Arrivals final : public nio::AcceptorListener {
  public:
    Arrivals(nio::SelectorThread& thread, Smsc& smsc) : thread_(thread), smsc_(smsc) {}

    void socketConnected(nio::Acceptor&, nio::AcceptedConnection connection) override
        NIO_REQUIRES(nio::onDispatcher) {
        auto link = std::make_unique<SmscLink>(std::move(connection.channel), smsc_, false);
        link->keep(std::move(connection.permit));
        (void)thread_.registerChannelNow(std::move(link), nio::Interest::read).ok();
    }

  private:
    nio::SelectorThread& thread_;
    Smsc& smsc_;
};

}  // namespace

Smsc::Smsc(nio::SelectorThread& thread, const SmscOptions& options)
    : thread_(thread),
      options_(options),
      throttle_(options.throttleAbove),
      firstNumber_(firstNumberOf(options)),
      answers_(thread.deadlines(),
               [this](const Answer& answer) {
                   nio::onDispatcher.assertCurrent();
                   answerNow(answer);
               }),
      receipts_(thread.deadlines(),
                [this](Receipt receipt) {
                    nio::onDispatcher.assertCurrent();
                    sendReceipt(std::move(receipt));
                }),
      repetition_(thread.deadlines(),
                  [this] {
                      nio::onDispatcher.assertCurrent();
                      repeatOld();
                  }),
      moTime_(thread.deadlines(),
              [this] {
                  nio::onDispatcher.assertCurrent();
                  sendMo();
              }),
      moRun_(std::random_device()()) {}

std::unique_ptr<nio::AcceptorListener> Smsc::arrivals() {
    return std::make_unique<Arrivals>(thread_, *this);
}

void Smsc::start() {
    repeatOld();
    moDue_ = nio::Clock::now();
    if (options_.mo.rate > 0) sendMo();
    if (options_.outbind.empty()) return;
    outbinder_ = std::make_unique<Outbinder>(
        thread_, options_.outbind, options_.keepAlive, [this](nio::SocketChannel channel) {
            nio::onDispatcher.assertCurrent();
            auto link = std::make_unique<SmscLink>(std::move(channel), *this, true);
            (void)thread_.registerChannelNow(std::move(link), nio::Interest::read).ok();
        });
    outbinder_->connect();
}

void Smsc::outbindClosed() {
    if (outbinder_) outbinder_->connectSoon();
}

std::string Smsc::report() const {
    std::size_t waiting = 0;
    for (const auto& named : mailboxes_) waiting += named.second.size();
    return counts_.toJson(waiting);
}

Status Smsc::admit(std::string_view systemId, std::string_view password) {
    Status status = Status::ok;
    if (!options_.anyAccount) {
        if (systemId != options_.systemId) status = Status::invSysId;
        if (status == Status::ok && password != options_.password) status = Status::invPaswd;
    }
    ++(status == Status::ok ? counts_.binds : counts_.bindsRefused);
    return status;
}

Mailbox& Smsc::mailboxOf(std::string_view systemId) {
    const auto found = mailboxes_.find(systemId);
    if (found != mailboxes_.end()) return found->second;
    return mailboxes_.try_emplace(std::string(systemId), options_, counts_).first->second;
}

// --- requests ---------------------------------------------------------------------------------

void Smsc::request(SmscLink& link, const Pdu& pdu) {
    switch (pdu.command()) {
        case Command::querySm: return query(link, pdu);
        case Command::cancelSm: return cancel(link, pdu);
        case Command::replaceSm: return replace(link, pdu);
        default: return submit(link, pdu);
    }
}

void Smsc::submit(SmscLink& link, const Pdu& pdu) {
    ++counts_.submits;
    if (pdu.command() == Command::dataSm) ++counts_.dataSm;
    if (pdu.command() == Command::submitMulti) ++counts_.submitMulti;
    if (options_.dropEvery > 0 && counts_.submits % options_.dropEvery == 0) {
        ++counts_.droppedLinks;
        return link.abort();
    }
    if (!throttle_.take()) {
        ++counts_.throttled;
        return answerLater(link, smpp::answer(pdu.command(), Status::throttled, pdu.sequence()));
    }
    accept(link, pdu);
}

void Smsc::accept(SmscLink& link, const Pdu& pdu) {
    ++counts_.accepted;
    const std::optional<Stamp> stamp = Stamp::read(pdu.message());
    if (stamp && !seen_.add(*stamp)) ++counts_.duplicateSubmits;
    const std::uint64_t number = firstNumber_ + states_.size();
    const bool receipt = wantsReceipt(pdu);
    states_.push_back(receipt ? MessageState::enroute : MessageState::delivered);

    PduWriter response(smpp::responseTo(pdu.command()), Status::ok, pdu.sequence());
    response.text(writeId(number, options_.idForm));
    if (pdu.command() == Command::submitMulti) response.number(0);
    if (receipt && options_.receipts.beforeResponse) orderReceipts(link, pdu, number);
    answerLater(link, response.finish());
    if (receipt && !options_.receipts.beforeResponse) orderReceipts(link, pdu, number);
}

bool Smsc::wantsReceipt(const Pdu& pdu) const {
    const Receipts which = options_.receipts.which;
    if (which != Receipts::requested) return which == Receipts::all;
    const int asked = pdu.number(Field::registeredDelivery) & 3;
    constexpr int always = 1;
    constexpr int whenDelivered = 3;  // of 5.0
    return asked == always || asked == whenDelivered;
}

void Smsc::orderReceipts(SmscLink& link, const Pdu& pdu, std::uint64_t number) {
    constexpr std::size_t textOctets = 20;
    ++counts_.receipts.messages;
    for (Address& destination : destinationsOf(pdu)) {
        const std::string_view text = nio::asText(pdu.message()).substr(0, textOctets);
        Receipt receipt{link.mailbox(),
                        {number, sourceOf(pdu), std::move(destination), std::string(text),
                         std::chrono::system_clock::now()}};
        nio::onDispatcher.assertCurrent();
        if (options_.receipts.beforeResponse) {
            sendReceipt(std::move(receipt));
        } else {
            receipts_.put(std::move(receipt), options_.receipts.delay.next(random_));
        }
    }
}

void Smsc::sendReceipt(Receipt receipt) {
    MessageState& state = states_[receipt.facts.number - firstNumber_];
    if (state == MessageState::enroute) state = MessageState::delivered;
    Delivery delivery;
    delivery.pdu =
        receiptPdu(receipt.facts, state, options_.receipts.idForm, options_.receipts.form);
    if (options_.receipts.twice) receipt.mailbox->deliver(delivery);
    receipt.mailbox->deliver(std::move(delivery));
}

// --- messages that were taken before ----------------------------------------------------------

MessageState* Smsc::stateOf(const Pdu& pdu) {
    const auto number = readId(pdu.text(Field::messageId), options_.idForm);
    if (!number || *number < firstNumber_) return nullptr;
    const std::uint64_t index = *number - firstNumber_;
    return index < states_.size() ? &states_[index] : nullptr;
}

void Smsc::query(SmscLink& link, const Pdu& pdu) {
    ++counts_.queries;
    const MessageState* state = stateOf(pdu);
    if (state == nullptr) return link.answer(pdu, Status::queryFail);
    PduWriter response(Command::querySmResp, Status::ok, pdu.sequence());
    response.text(pdu.text(Field::messageId)).text("");
    response.number(static_cast<std::uint8_t>(*state)).number(0);
    answerLater(link, response.finish());
}

void Smsc::cancel(SmscLink& link, const Pdu& pdu) {
    ++counts_.cancels;
    MessageState* state = stateOf(pdu);
    const bool may = state != nullptr && *state == MessageState::enroute;
    if (may) *state = MessageState::deleted;
    link.answer(pdu, may ? Status::ok : Status::cancelFail);
}

void Smsc::replace(SmscLink& link, const Pdu& pdu) {
    ++counts_.replaces;
    const MessageState* state = stateOf(pdu);
    const bool may = state != nullptr && *state == MessageState::enroute;
    link.answer(pdu, may ? Status::ok : Status::replaceFail);
}

// --- answers ----------------------------------------------------------------------------------

void Smsc::answerLater(SmscLink& link, nio::Bytes pdu) {
    if (options_.latency == std::chrono::nanoseconds::zero()) return link.send(pdu);
    answers_.put({thread_.handleOf(link.channel()), std::move(pdu)}, options_.latency);
}

void Smsc::answerNow(const Answer& answer) {
    nio::SelectorHandler* found = thread_.findNow(answer.link);
    if (found != nullptr) static_cast<SmscLink*>(found)->send(answer.pdu);
}

// --- what happens by itself -------------------------------------------------------------------

void Smsc::repeatOld() {
    const nio::TimePoint now = nio::Clock::now();
    for (auto& named : mailboxes_) {
        nio::onDispatcher.assertCurrent();
        named.second.repeatOld(now);
    }
    repetition_.wakeAfter(std::min<nio::Clock::duration>(options_.acknowledgeTimeout / 4,
                                                         std::chrono::milliseconds(250)));
}

// What was missed while nobody received is not made up for.
void Smsc::sendMo() {
    const nio::TimePoint now = nio::Clock::now();
    const auto gap = std::chrono::duration_cast<nio::Clock::duration>(
        std::chrono::duration<double>(1 / options_.mo.rate));
    moDue_ = std::max(moDue_, now - std::chrono::milliseconds(100));
    for (; moDue_ <= now; moDue_ += gap) sendOneMo();
    moTime_.wakeAt(moDue_);
}

void Smsc::sendOneMo() {
    std::vector<Mailbox*> receiving;
    for (auto& named : mailboxes_) {
        if (named.second.hasReceiver()) receiving.push_back(&named.second);
    }
    if (receiving.empty()) return;
    nio::Bytes text(Stamp::octets);
    Stamp{moRun_, moCount_}.writeTo(text);
    const std::string& to = options_.mo.to[moCount_ % options_.mo.to.size()];
    const std::string from = "4670" + std::to_string(1'000'000 + moCount_ % 1'000'000);
    Delivery delivery;
    delivery.kind = Delivery::Kind::mo;
    delivery.pdu = moPdu({1, 1, from}, {0, 1, to}, text);
    ++counts_.mo.messages;
    receiving[moCount_++ % receiving.size()]->deliver(std::move(delivery));
}

}  // namespace smppbench
