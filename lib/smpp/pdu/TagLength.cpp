#include <smpp/pdu/TagLength.h>

namespace smpp {

namespace {

struct Limits {
    std::size_t least;
    std::size_t most;
};

constexpr Limits any{0, 0xFFFF};

Limits limitsOf(Tag tag) {
    switch (tag) {
        case Tag::destAddrSubunit: return {1, 1};
        case Tag::destNetworkType: return {1, 1};
        case Tag::destBearerType: return {1, 1};
        case Tag::destTelematicsId: return {1, 2};
        case Tag::sourceAddrSubunit: return {1, 1};
        case Tag::sourceNetworkType: return {1, 1};
        case Tag::sourceBearerType: return {1, 1};
        case Tag::sourceTelematicsId: return {1, 2};
        case Tag::qosTimeToLive: return {4, 4};
        case Tag::payloadType: return {1, 1};
        case Tag::additionalStatusInfoText: return {1, 256};
        case Tag::receiptedMessageId: return {1, 65};
        case Tag::msMsgWaitFacilities: return {1, 1};
        case Tag::privacyIndicator: return {1, 1};
        case Tag::sourceSubaddress: return {2, 23};
        case Tag::destSubaddress: return {2, 23};
        case Tag::userMessageReference: return {2, 2};
        case Tag::userResponseCode: return {1, 1};
        case Tag::sourcePort: return {2, 2};
        case Tag::destinationPort: return {2, 2};
        case Tag::sarMsgRefNum: return {2, 2};
        case Tag::languageIndicator: return {1, 1};
        case Tag::sarTotalSegments: return {1, 1};
        case Tag::sarSegmentSeqnum: return {1, 1};
        case Tag::scInterfaceVersion: return {1, 1};
        case Tag::callbackNumPresInd: return {1, 1};
        case Tag::callbackNumAtag: return {0, 65};
        case Tag::numberOfMessages: return {1, 1};
        case Tag::callbackNum: return {4, 19};
        case Tag::dpfResult: return {1, 1};
        case Tag::setDpf: return {1, 1};
        case Tag::msAvailabilityStatus: return {1, 1};
        case Tag::networkErrorCode: return {3, 3};
        case Tag::messagePayload: return any;
        case Tag::deliveryFailureReason: return {1, 1};
        case Tag::moreMessagesToSend: return {1, 1};
        case Tag::messageState: return {1, 1};
        case Tag::ussdServiceOp: return {1, 1};
        case Tag::displayTime: return {1, 1};
        case Tag::smsSignal: return {2, 2};
        case Tag::msValidity: return {1, 4};
        case Tag::alertOnMessageDelivery: return {0, 1};
        case Tag::itsReplyType: return {1, 1};
        case Tag::itsSessionInfo: return {2, 2};
    }
    return any;
}

}  // namespace

bool lengthFits(Tag tag, std::size_t octets) {
    const Limits limits = limitsOf(tag);
    return octets >= limits.least && octets <= limits.most;
}

}  // namespace smpp
