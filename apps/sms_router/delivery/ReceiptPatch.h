// A receipt with our id instead of the SMSC's: in its texts and in receipted_message_id, wherever
// it has one. A text that becomes too long for short_message loses its end. esm_class says that it
// is a receipt, also where the SMSC left that to the text or to TLVs.
//
// Thread: one at a time. Lifetime: not longer than the PDU's bytes.
#pragma once

#include <optional>
#include <string_view>

#include <smpp/pdu/PduPatch.h>
#include <smpp/text/Receipt.h>

#include "sms_router/model/SourceAddress.h"

namespace router {

class ReceiptPatch {
  public:
    ReceiptPatch(const smpp::Pdu& pdu, const smpp::Receipt& receipt, std::string_view id);
    ReceiptPatch(const ReceiptPatch&) = delete;
    ReceiptPatch& operator=(const ReceiptPatch&) = delete;

    // False: there is no room for the id at all.
    bool fits() const { return fits_; }
    nio::Bytes bytes() const { return patch_.bytes(); }

  private:
    bool patchText(const smpp::Pdu& pdu, const smpp::Receipt& receipt, std::string_view id);
    bool patchShortText(const smpp::Pdu& pdu, const smpp::Receipt& receipt, std::string_view id);
    bool patchTlv(const smpp::Pdu& pdu, std::string_view id);
    bool mark(const smpp::Pdu& pdu);

    smpp::PduPatch patch_;
    nio::Bytes text_;  // the replacements
    nio::Bytes shortText_;
    nio::Bytes tlv_;
    bool fits_;
};

// The addresses of a message as the SMSC has them.
struct SentAddresses {
    AddressMark sender{};
    AddressMark destination{};
};

// A receipt with the addresses of its message as the ESME gave them, which are the other way round
// there; also where its text names them, up to "text:". What does not fit stays. Some SMSCs leave
// the addresses as they were in the message: `sent` tells.
nio::Bytes withOwnAddresses(const nio::Bytes& receipt, const OwnAddresses& own,
                            const SentAddresses& sent);

// The same PDU with its first receipted_message_id only; nothing: it has no more than one. For one
// that has more than a ReceiptPatch can take.
std::optional<nio::Bytes> withOneReceiptedId(const smpp::Pdu& pdu);

}  // namespace router
