// The contents of an SMSC's receipt, and where in the PDU they are, so that the id can be replaced.
//
//     if (const auto receipt = smpp::receiptOf(pdu)) {
//         if (receipt->hasTextId()) {
//             ours = smpp::idOctets(id, receipt->form);
//             patch.message(receipt->idOffset, receipt->idSize, ours);
//         }
//         if (!receipt->tlvId.empty()) patch.tlv(Tag::receiptedMessageId, …);
//     }
//
// The text is "id:IIIIIIIIII sub:SSS dlvrd:DDD submit date:… done date:… stat:DDDDDDD err:E
// text:…", but hardly any SMSC keeps to it: keywords are taken in any case and order, and any may
// be missing; "message_id", "msg id" and "smsid" are "id", "status" and "state" are "stat",
// "error", "errcode" and "error code" are "err", and a blank, "_", "-", or nothing may divide the
// words of a name. There may be any punctuation between them, "=" or "#" for ":", a blank before
// it, "%3A" and "%20" for colon and blank, quotes or brackets around a value, a field or all,
// JSON's braces, XML's tags, and commas within a value. The blank before a field may be missing. An
// id is one word or, on request (IdWords), everything up to the next field. What follows "text:" is
// a user's and is ignored, unless no id precedes it: then the last id behind it is taken, or else
// one without a colon ("id 17 stat DELIVRD"; isQuoted). It is read as octets (GSM, ASCII, Latin-1)
// or as UCS2 of either order, by data_coding first; a byte order mark is skipped, and so is a UDH.
// Whatever esm_class says, a text has no UDH if it begins with its id, or if only reading it from
// the start finds an id.
//
// Thread: any; a value. Lifetime: tlvId and networkError as long as the PDU's bytes; the rest is
// its own.
// Source: SMPP 3.4, 5.2.12 (esm_class), 5.2.28 (message_state), appendix B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>
#include <smpp/text/ShortText.h>

namespace smpp {

// Other values can arrive in the TLV, and are kept as they came.
enum class MessageState : std::uint8_t {
    scheduled = 0,  // of 5.0, as is skipped
    enroute = 1,
    delivered = 2,
    expired = 3,
    deleted = 4,
    undeliverable = 5,
    accepted = 6,
    unknown = 7,
    rejected = 8,
    skipped = 9,
};

// No other one follows. Thread: any.
bool isFinal(MessageState state);

// "DELIVRD", as appendix B writes it.
std::string_view nameOf(MessageState state);
// By that word, in any case, also where it is spelled out. Nothing: no such state.
std::optional<MessageState> messageStateNamed(std::string_view word);

struct Receipt {
    enum class Form : std::uint8_t { octets, ucs2, ucs2LittleEndian };
    enum class IdWords : std::uint8_t { one, all };

    // The id in the text, or else of a receipted_message_id in UCS2: empty if there is none, or one
    // over 255 characters. DEL stands for what UCS2 has beyond Latin-1: no id of an answer has such
    // characters.
    ShortText<255> textId;
    std::size_t idOffset = 0;  // within pdu.message(), in octets
    std::size_t idSize = 0;
    Form form = Form::octets;  // of the text
    IdWords idWords = IdWords::one;
    // Words that begin no field follow this id: it may be longer, with blanks in it.
    bool mayGoOn = false;
    // The id in short_message if that names the message, too, although message_payload is the text;
    // size 0: none.
    std::size_t shortIdOffset = 0;  // within short_message, in octets
    std::size_t shortIdSize = 0;
    Form shortForm = Form::octets;

    // receipted_message_id, without its NUL and blanks; empty: there is none that is a text.
    std::string_view tlvId;

    // Of message_state and the text's "stat:", see decidedState().
    std::optional<MessageState> state;
    ShortText<16> stateWord;    // behind "stat:", as it is written
    ShortText<32> doneDate;     // behind "done date:", as it is written
    std::uint8_t fields = 0;    // a bit for each of appendix B's in the text, without the id
    bool intermediate = false;  // an intermediate notification, no delivery receipt
    // esm_class or the TLVs say that it is a receipt. Otherwise only its text does, which may be a
    // user's.
    bool isMarked = false;
    // The text's id follows "text:", or has no colon, and may be a user's.
    bool isQuoted = false;
    // No further receipt is expected: a delivery receipt of a final state. An "accepted" is not
    // final here, since SMSCs do send another receipt after it.
    bool final = false;
    ShortText<16> error;         // "err:", or the code of network_error_code in decimal
    nio::ByteView networkError;  // network_error_code, as it came

    bool hasTextId() const { return idSize > 0; }
    // The TLV's, otherwise the text's: never empty. They may be written differently.
    std::string_view id() const { return tlvId.empty() ? textId.view() : tlvId; }
};

// Which of the two counts if they contradict each other: the parameter, since programs read it; but
// the text if only that is final, or if the parameter says nothing (0, which is SCHEDULED in 5.0
// and undefined in 3.4, or an unknown value). Some SMSCs always send the same parameter.
std::optional<MessageState> decidedState(std::optional<MessageState> parameter,
                                         std::optional<MessageState> text);

// A deliver_sm or data_sm whose esm_class says delivery receipt or intermediate notification (or
// both); or says neither these nor an SME's acknowledgement, and it has both receipted_message_id
// and message_state.
bool isReceipt(const Pdu& pdu);

// Nothing: it is no receipt, or it names no message. An unmarked one must have a
// receipted_message_id or an id in its text before "text:", and in its text a known state or two
// different fields of appendix B, in its spelling. An id behind "text:" or without a colon is
// ignored if receipted_message_id differs.
std::optional<Receipt> receiptOf(const Pdu& pdu, Receipt::IdWords idWords = Receipt::IdWords::one);

// An id (ASCII) as it is written into a receipt's text of that form.
nio::Bytes idOctets(std::string_view id, Receipt::Form form);

}  // namespace smpp
