// The optional parameters, by tag.
//
// Thread: any; values.
// Source: SMPP 3.4, 5.3.2; SMPP 5.0, 4.8.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

// Any 16-bit value can arrive and is kept as it came.
enum class Tag : std::uint16_t {
    destAddrSubunit = 0x0005,
    destNetworkType = 0x0006,
    destBearerType = 0x0007,
    destTelematicsId = 0x0008,
    sourceAddrSubunit = 0x000D,
    sourceNetworkType = 0x000E,
    sourceBearerType = 0x000F,
    sourceTelematicsId = 0x0010,
    qosTimeToLive = 0x0017,
    payloadType = 0x0019,
    additionalStatusInfoText = 0x001D,
    receiptedMessageId = 0x001E,
    msMsgWaitFacilities = 0x0030,
    privacyIndicator = 0x0201,
    sourceSubaddress = 0x0202,
    destSubaddress = 0x0203,
    userMessageReference = 0x0204,
    userResponseCode = 0x0205,
    sourcePort = 0x020A,
    destinationPort = 0x020B,
    sarMsgRefNum = 0x020C,
    languageIndicator = 0x020D,
    sarTotalSegments = 0x020E,
    sarSegmentSeqnum = 0x020F,
    scInterfaceVersion = 0x0210,
    callbackNumPresInd = 0x0302,
    callbackNumAtag = 0x0303,
    numberOfMessages = 0x0304,
    callbackNum = 0x0381,
    dpfResult = 0x0420,
    setDpf = 0x0421,
    msAvailabilityStatus = 0x0422,
    networkErrorCode = 0x0423,
    messagePayload = 0x0424,
    deliveryFailureReason = 0x0425,
    moreMessagesToSend = 0x0426,
    messageState = 0x0427,
    ussdServiceOp = 0x0501,
    displayTime = 0x1201,
    smsSignal = 0x1203,
    msValidity = 0x1204,
    alertOnMessageDelivery = 0x130C,
    itsReplyType = 0x1380,
    itsSessionInfo = 0x1383,
};

// "message_payload"; "unknown" without a name.
std::string_view nameOf(Tag tag);

// The maximum length of an optional parameter.
inline constexpr std::size_t longestTlv = 0xFFFF;

// Whether the value of `tag` may have this length: as in the specification, and as in 5.0 where
// that allows more (ms_validity, alert_on_message_delivery), and 1 or 2 octets for both telematics
// ids, which are easily mistaken for one another. Any length is right for a tag without a name.
bool lengthFits(Tag tag, std::size_t octets);

}  // namespace smpp
