// What a deliver_sm says about an earlier message: its id, in the TLV, in the text, or in both.
//
// Thread: any; pure.
// Source: SMPP 3.4, appendix B.
#pragma once

#include <string_view>

#include <smpp/pdu/Pdu.h>

namespace smppbench {

struct ReceiptReading {
    bool isReceipt = false;
    bool isFinal = true;
    bool disagrees = false;  // text and TLV name different ids
    std::string_view messageId;
    std::string_view state;  // of the text: "DELIVRD"
};

ReceiptReading readReceipt(const smpp::Pdu& pdu);

}  // namespace smppbench
