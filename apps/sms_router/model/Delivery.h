// A request of an SMSC (a receipt, a message, an alert) on its way to an account.
//
// Thread: values that are handed from dispatcher to dispatcher; the octets are shared and do not
// change.
#pragma once

#include <cstdint>
#include <memory>

#include <nio/base/Bytes.h>
#include <nio/loop/SelectorThread.h>

#include <smpp/pdu/Command.h>
#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/Status.h>

#include "sms_router/model/MessageId.h"
#include "sms_router/model/MessageRecord.h"

namespace router {

class Egress;

// What became of it. `safe`: acknowledged by the ESME, or on disk.
enum class Delivered : std::uint8_t { safe, refused };

struct Delivery {
    std::uint64_t number = 0;  // given by the desk: unique, also across restarts
    std::shared_ptr<const nio::Bytes> pdu;
    // Who waits for the answer; null: nobody any more.
    Egress* source = nullptr;
    nio::ChannelHandle link;
    std::uint32_t sequence = 0;
    smpp::Command command{};
    MessageId about = 0;     // of a receipt
    Whole whole{};           // of a receipt: the message of the application
    std::uint8_t state = 0;  // of a receipt, as its source has it
    nio::TimePoint arrived{};
    std::unique_ptr<MessageRecord> record{};
};

// The line of the access log that a PDU of an SMSC begins.
inline std::unique_ptr<MessageRecord> deliveryRecord(const smpp::Pdu& pdu,
                                                     MessageRecord::Kind kind) {
    const bool alert = kind == MessageRecord::Kind::alert;
    auto record = std::make_unique<MessageRecord>();
    record->kind = kind;
    record->time = std::chrono::system_clock::now();
    record->source = pdu.text(smpp::Field::sourceAddress);
    record->destination =
        pdu.text(alert ? smpp::Field::esmAddress : smpp::Field::destinationAddress);
    record->octets = static_cast<std::uint32_t>(pdu.message().size());
    record->dataCoding = pdu.number(smpp::Field::dataCoding);
    return record;
}

}  // namespace router
