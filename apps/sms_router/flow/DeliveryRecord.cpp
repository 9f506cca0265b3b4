#include "sms_router/flow/DeliveryRecord.h"

namespace router {

using smpp::Field;

std::unique_ptr<MessageRecord> deliveryRecord(const smpp::Pdu& pdu, MessageRecord::Kind kind) {
    const bool alert = kind == MessageRecord::Kind::alert;
    auto record = std::make_unique<MessageRecord>();
    record->kind = kind;
    record->time = std::chrono::system_clock::now();
    record->source = pdu.text(Field::sourceAddress);
    record->destination = pdu.text(alert ? Field::esmAddress : Field::destinationAddress);
    record->octets = static_cast<std::uint32_t>(pdu.message().size());
    record->dataCoding = pdu.number(Field::dataCoding);
    return record;
}

}  // namespace router
