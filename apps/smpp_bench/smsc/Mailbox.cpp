#include "smpp_bench/smsc/Mailbox.h"

#include <algorithm>

#include <smpp/pdu/PduPatch.h>

#include "smpp_bench/smsc/SmscLink.h"

namespace smppbench {

namespace {

using smpp::Status;

bool isTemporary(Status status) {
    return status == Status::throttled || status == Status::msgQFul || status == Status::xTAppn ||
           status == Status::sysErr;
}

}  // namespace

void Mailbox::addReceiver(SmscLink& link) {
    receivers_.push_back(&link);
    sendWaiting();
}

void Mailbox::removeReceiver(SmscLink& link) {
    std::erase(receivers_, &link);
    std::vector<Delivery> back;
    while (auto delivery = link.deliveries().takeOldest()) back.push_back(std::move(*delivery));
    for (const Delivery& delivery : back) ++countsOf(delivery).resent;
    waiting_.insert(waiting_.begin(), std::make_move_iterator(back.begin()),
                    std::make_move_iterator(back.end()));
    sendWaiting();
}

SmscLink* Mailbox::nextReceiver() {
    for (std::size_t tried = 0; tried < receivers_.size(); ++tried) {
        SmscLink* link = receivers_[next_++ % receivers_.size()];
        if (link->deliveries().size() < options_.deliverWindow) return link;
    }
    return nullptr;
}

void Mailbox::deliver(Delivery delivery) {
    SmscLink* link = waiting_.empty() ? nextReceiver() : nullptr;
    if (link == nullptr) return waiting_.push_back(std::move(delivery));
    sendOn(*link, std::move(delivery));
}

void Mailbox::sendOn(SmscLink& link, Delivery delivery) {
    ++countsOf(delivery).sent;
    smpp::setSequence(delivery.pdu, link.deliveries().nextSequence());
    const nio::Bytes pdu = delivery.pdu;
    delivery.sent = nio::Clock::now();
    // First: if sending ends the connection, removeReceiver() takes it back.
    link.deliveries().add(std::move(delivery));
    link.send(pdu);
}

void Mailbox::sendWaiting() {
    while (!waiting_.empty()) {
        SmscLink* link = nextReceiver();
        if (link == nullptr) return;
        Delivery delivery = std::move(waiting_.front());
        waiting_.pop_front();
        sendOn(*link, std::move(delivery));
    }
}

void Mailbox::answered(Delivery delivery, Status status) {
    if (isTemporary(status)) {
        ++countsOf(delivery).resent;
        // Not at once: who asks for patience gets it from repeatOld().
        waiting_.push_back(std::move(delivery));
        return;
    }
    DeliveryCounts& counts = countsOf(delivery);
    ++(status == Status::ok ? counts.acknowledged : counts.refused);
    sendWaiting();
}

DeliveryCounts& Mailbox::countsOf(const Delivery& delivery) {
    return delivery.kind == Delivery::Kind::receipt ? counts_.receipts : counts_.mo;
}

void Mailbox::repeatOld(nio::TimePoint now) {
    std::vector<Delivery> old;
    for (SmscLink* link : receivers_) {
        while (const Delivery* oldest = link->deliveries().oldest()) {
            if (now - oldest->sent < options_.acknowledgeTimeout) break;
            old.push_back(*link->deliveries().takeOldest());
        }
    }
    for (Delivery& delivery : old) {
        nio::onDispatcher.assertCurrent();
        ++countsOf(delivery).resent;
        deliver(std::move(delivery));
    }
    sendWaiting();
}

std::size_t Mailbox::size() const {
    std::size_t all = waiting_.size();
    for (SmscLink* link : receivers_) all += link->deliveries().size();
    return all;
}

}  // namespace smppbench
