// The operations of SMPP, by command_id.
//
// Thread: any; values.
// Source: SMPP 3.4, 5.1.2.1.
#pragma once

#include <cstdint>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

// Any 32-bit value can arrive; those without a name here are kept as they came.
enum class Command : std::uint32_t {
    genericNack = 0x80000000,
    bindReceiver = 0x00000001,
    bindReceiverResp = 0x80000001,
    bindTransmitter = 0x00000002,
    bindTransmitterResp = 0x80000002,
    querySm = 0x00000003,
    querySmResp = 0x80000003,
    submitSm = 0x00000004,
    submitSmResp = 0x80000004,
    deliverSm = 0x00000005,
    deliverSmResp = 0x80000005,
    unbind = 0x00000006,
    unbindResp = 0x80000006,
    replaceSm = 0x00000007,
    replaceSmResp = 0x80000007,
    cancelSm = 0x00000008,
    cancelSmResp = 0x80000008,
    bindTransceiver = 0x00000009,
    bindTransceiverResp = 0x80000009,
    outbind = 0x0000000B,
    enquireLink = 0x00000015,
    enquireLinkResp = 0x80000015,
    submitMulti = 0x00000021,
    submitMultiResp = 0x80000021,
    alertNotification = 0x00000102,
    dataSm = 0x00000103,
    dataSmResp = 0x80000103,
};

constexpr bool isResponse(Command command) {
    return (static_cast<std::uint32_t>(command) & 0x80000000u) != 0;
}
// The answer to a request. outbind and alert_notification have none (hasResponse).
constexpr Command responseTo(Command request) {
    return static_cast<Command>(static_cast<std::uint32_t>(request) | 0x80000000u);
}
constexpr Command requestOf(Command response) {
    return static_cast<Command>(static_cast<std::uint32_t>(response) & 0x7FFFFFFFu);
}
bool isKnown(Command command);
bool hasResponse(Command request);
constexpr bool isBind(Command command) {
    return command == Command::bindReceiver || command == Command::bindTransmitter ||
           command == Command::bindTransceiver;
}

// The specification's name, "submit_sm"; "unknown" without one.
std::string_view nameOf(Command command);

}  // namespace smpp
