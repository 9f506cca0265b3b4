#include "smpp_bench/smsc/SmscLink.h"

#include <smpp/pdu/PduWriter.h>

#include "smpp_bench/smsc/Smsc.h"

namespace smppbench {

using smpp::Command;
using smpp::Field;
using smpp::Pdu;
using smpp::Status;

SmscLink::SmscLink(nio::SocketChannel channel, Smsc& smsc, bool asks)
    : PduLink(std::move(channel)), smsc_(smsc), asks_(asks) {}

void SmscLink::connectionOpened() {
    ++smsc_.counts().connections;
    if (!asks_) return;
    ++smsc_.counts().outbinds;
    const SmscOptions& options = smsc_.options();
    send(smpp::PduWriter(Command::outbind, Status::ok, 1)
             .text(options.systemId)
             .text(options.password)
             .finish());
}

void SmscLink::pduArrived(const Pdu& pdu) {
    switch (pdu.command()) {
        case Command::bindReceiver:
        case Command::bindTransmitter:
        case Command::bindTransceiver: return bind(pdu);
        case Command::unbind: return unbind(pdu);
        case Command::enquireLink: {
            ++smsc_.counts().enquireLinks;
            return answer(pdu, Status::ok);
        }
        case Command::submitSm:
        case Command::dataSm:
        case Command::submitMulti:
        case Command::querySm:
        case Command::cancelSm:
        case Command::replaceSm: return submitted(pdu);
        case Command::deliverSmResp:
        case Command::dataSmResp: return delivered(pdu);
        default: break;
    }
    if (smpp::isResponse(pdu.command())) return;
    send(smpp::genericNack(Status::invCmdId, pdu.sequence()));
}

void SmscLink::nonsenseArrived() {
    ++smsc_.counts().malformed;
}

void SmscLink::bind(const Pdu& pdu) {
    if (mailbox_ != nullptr) return answer(pdu, Status::alyBnd);
    const std::string_view systemId = pdu.text(Field::systemId);
    const Status status = smsc_.admit(systemId, pdu.text(Field::password));
    if (status != Status::ok) return answer(pdu, status);
    mailbox_ = &smsc_.mailboxOf(systemId);
    mayTransmit_ = pdu.command() != Command::bindReceiver;
    mayReceive_ = pdu.command() != Command::bindTransmitter;
    smpp::PduWriter response(smpp::responseTo(pdu.command()), Status::ok, pdu.sequence());
    response.text("smpp-bench");
    constexpr std::uint8_t version = 0x34;
    if (pdu.number(Field::interfaceVersion) >= version) {
        response.tlv(smpp::Tag::scInterfaceVersion, version, 1);
    }
    send(response.finish());
    if (mayReceive_) mailbox_->addReceiver(*this);
}

void SmscLink::unbind(const Pdu& pdu) {
    ++smsc_.counts().unbinds;
    answer(pdu, Status::ok);
    stopReceiving();
    closeAfterFlush();
}

void SmscLink::submitted(const Pdu& pdu) {
    if (!mayTransmit_) return answer(pdu, Status::invBndSts);
    smsc_.request(*this, pdu);
}

void SmscLink::delivered(const Pdu& pdu) {
    std::optional<Delivery> delivery = deliveries_.take(pdu.sequence());
    if (!delivery || mailbox_ == nullptr) return;
    mailbox_->answered(std::move(*delivery), pdu.status());
}

void SmscLink::stopReceiving() {
    if (std::exchange(mayReceive_, false)) mailbox_->removeReceiver(*this);
}

void SmscLink::connectionClosed(const std::optional<nio::Error>&) {
    stopReceiving();
    if (asks_) smsc_.outbindClosed();
}

}  // namespace smppbench
