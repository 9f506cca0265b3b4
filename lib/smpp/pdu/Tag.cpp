#include <smpp/pdu/Tag.h>

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

std::string_view nameOf(Tag tag) {
    switch (tag) {
        case Tag::destAddrSubunit: return "dest_addr_subunit";
        case Tag::destNetworkType: return "dest_network_type";
        case Tag::destBearerType: return "dest_bearer_type";
        case Tag::destTelematicsId: return "dest_telematics_id";
        case Tag::sourceAddrSubunit: return "source_addr_subunit";
        case Tag::sourceNetworkType: return "source_network_type";
        case Tag::sourceBearerType: return "source_bearer_type";
        case Tag::sourceTelematicsId: return "source_telematics_id";
        case Tag::qosTimeToLive: return "qos_time_to_live";
        case Tag::payloadType: return "payload_type";
        case Tag::additionalStatusInfoText: return "additional_status_info_text";
        case Tag::receiptedMessageId: return "receipted_message_id";
        case Tag::msMsgWaitFacilities: return "ms_msg_wait_facilities";
        case Tag::privacyIndicator: return "privacy_indicator";
        case Tag::sourceSubaddress: return "source_subaddress";
        case Tag::destSubaddress: return "dest_subaddress";
        case Tag::userMessageReference: return "user_message_reference";
        case Tag::userResponseCode: return "user_response_code";
        case Tag::sourcePort: return "source_port";
        case Tag::destinationPort: return "destination_port";
        case Tag::sarMsgRefNum: return "sar_msg_ref_num";
        case Tag::languageIndicator: return "language_indicator";
        case Tag::sarTotalSegments: return "sar_total_segments";
        case Tag::sarSegmentSeqnum: return "sar_segment_seqnum";
        case Tag::scInterfaceVersion: return "sc_interface_version";
        case Tag::callbackNumPresInd: return "callback_num_pres_ind";
        case Tag::callbackNumAtag: return "callback_num_atag";
        case Tag::numberOfMessages: return "number_of_messages";
        case Tag::callbackNum: return "callback_num";
        case Tag::dpfResult: return "dpf_result";
        case Tag::setDpf: return "set_dpf";
        case Tag::msAvailabilityStatus: return "ms_availability_status";
        case Tag::networkErrorCode: return "network_error_code";
        case Tag::messagePayload: return "message_payload";
        case Tag::deliveryFailureReason: return "delivery_failure_reason";
        case Tag::moreMessagesToSend: return "more_messages_to_send";
        case Tag::messageState: return "message_state";
        case Tag::ussdServiceOp: return "ussd_service_op";
        case Tag::displayTime: return "display_time";
        case Tag::smsSignal: return "sms_signal";
        case Tag::msValidity: return "ms_validity";
        case Tag::alertOnMessageDelivery: return "alert_on_message_delivery";
        case Tag::itsReplyType: return "its_reply_type";
        case Tag::itsSessionInfo: return "its_session_info";
    }
    return "unknown";
}

bool lengthFits(Tag tag, std::size_t octets) {
    const Limits limits = limitsOf(tag);
    return octets >= limits.least && octets <= limits.most;
}

}  // namespace smpp
