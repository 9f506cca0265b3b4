// A deliver_sm that an SMSC wants acknowledged, and how it is written; and what of a message that
// was submitted goes into it: from whom it is, and to whom.
//
// Thread: any; pure.
// Source: SMPP 3.4, 4.5.1.1 (dest_address(es)), 4.6 and appendix B (the text of a receipt).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/sys/Clock.h>

#include <smpp/pdu/Pdu.h>

#include "smpp_bench/smsc/SmscOptions.h"

namespace smppbench {

struct Address {
    std::uint8_t ton = 0;
    std::uint8_t npi = 0;
    std::string digits;
};

// Of a submit_sm, a data_sm or a submit_multi.
Address sourceOf(const smpp::Pdu& pdu);
// One, or those of a submit_multi that are addresses and not distribution lists.
std::vector<Address> destinationsOf(const smpp::Pdu& pdu);

// message_state, as far as this SMSC has them.
enum class MessageState : std::uint8_t { enroute = 1, delivered = 2, deleted = 4, unknown = 7 };

struct ReceiptFacts {
    std::uint64_t number = 0;
    Address sender;     // of the message: the receipt goes there
    Address recipient;  // of the message: the receipt comes from there
    std::string text;   // its first octets
    std::chrono::system_clock::time_point submitted;
};

struct Delivery {
    enum class Kind { receipt, mo };
    Kind kind = Kind::receipt;
    nio::Bytes pdu;  // its sequence number is set when it is sent
    nio::TimePoint sent{};
};

nio::Bytes receiptPdu(const ReceiptFacts& facts, MessageState state, IdForm idForm,
                      ReceiptForm form);
nio::Bytes moPdu(const Address& from, const Address& to, nio::ByteView text);

}  // namespace smppbench
