#include <smpp/pdu/Command.h>

namespace smpp {

namespace {

// Empty without a name.
std::string_view knownName(Command command) {
    switch (command) {
        case Command::genericNack: return "generic_nack";
        case Command::bindReceiver: return "bind_receiver";
        case Command::bindReceiverResp: return "bind_receiver_resp";
        case Command::bindTransmitter: return "bind_transmitter";
        case Command::bindTransmitterResp: return "bind_transmitter_resp";
        case Command::querySm: return "query_sm";
        case Command::querySmResp: return "query_sm_resp";
        case Command::submitSm: return "submit_sm";
        case Command::submitSmResp: return "submit_sm_resp";
        case Command::deliverSm: return "deliver_sm";
        case Command::deliverSmResp: return "deliver_sm_resp";
        case Command::unbind: return "unbind";
        case Command::unbindResp: return "unbind_resp";
        case Command::replaceSm: return "replace_sm";
        case Command::replaceSmResp: return "replace_sm_resp";
        case Command::cancelSm: return "cancel_sm";
        case Command::cancelSmResp: return "cancel_sm_resp";
        case Command::bindTransceiver: return "bind_transceiver";
        case Command::bindTransceiverResp: return "bind_transceiver_resp";
        case Command::outbind: return "outbind";
        case Command::enquireLink: return "enquire_link";
        case Command::enquireLinkResp: return "enquire_link_resp";
        case Command::submitMulti: return "submit_multi";
        case Command::submitMultiResp: return "submit_multi_resp";
        case Command::alertNotification: return "alert_notification";
        case Command::dataSm: return "data_sm";
        case Command::dataSmResp: return "data_sm_resp";
    }
    return {};
}

}  // namespace

bool isKnown(Command command) {
    return !knownName(command).empty();
}

bool hasResponse(Command request) {
    return !isResponse(request) && isKnown(request) && isKnown(responseTo(request));
}

std::string_view nameOf(Command command) {
    const std::string_view name = knownName(command);
    return name.empty() ? "unknown" : name;
}

}  // namespace smpp
