#include "smpp_bench/esme/EsmeLink.h"

#include <smpp/pdu/PduWriter.h>

#include "smpp_bench/esme/EsmeBind.h"

namespace smppbench {

using smpp::Command;
using smpp::Pdu;
using smpp::PduWriter;
using smpp::Status;

namespace {

constexpr std::uint32_t controlSequence = 0x7FFFFFFF;  // no message gets that far

}  // namespace

void EsmeLink::connectionOpened() {
    constexpr std::uint8_t version = 0x34;
    send(PduWriter(bind_.command(), Status::ok, controlSequence)
             .text(bind_.name().systemId)
             .text(bind_.name().password)
             .text("")
             .number(version)
             .number(0)
             .number(0)
             .text("")
             .finish());
}

void EsmeLink::unbind() {
    send(PduWriter(Command::unbind, Status::ok, controlSequence).finish());
}

void EsmeLink::pduArrived(const Pdu& pdu) {
    switch (pdu.command()) {
        case Command::submitSmResp: return bind_.answered(pdu);
        case Command::deliverSm:
        case Command::dataSm: return deliverArrived(pdu);
        case Command::bindReceiverResp:
        case Command::bindTransmitterResp:
        case Command::bindTransceiverResp: return bind_.bindAnswered(pdu.status());
        case Command::enquireLink: bind_.enquired(); return answer(pdu, Status::ok);
        case Command::unbind: answer(pdu, Status::ok); return closeAfterFlush();
        case Command::unbindResp: return closeAfterFlush();
        case Command::genericNack: return bind_.nacked(pdu);
        default: break;
    }
    if (!smpp::isResponse(pdu.command())) {
        send(smpp::genericNack(Status::invCmdId, pdu.sequence()));
    }
}

void EsmeLink::deliverArrived(const Pdu& pdu) {
    bind_.delivered(pdu);
    const Command response = smpp::responseTo(pdu.command());
    send(PduWriter(response, Status::ok, pdu.sequence()).text("").finish());
}

void EsmeLink::nonsenseArrived() {
    bind_.nonsense();
}

void EsmeLink::connectionClosed(const std::optional<nio::Error>& reason) {
    bind_.closed(reason ? reason->message() : "closed");
}

}  // namespace smppbench
