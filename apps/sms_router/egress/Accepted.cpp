#include "sms_router/egress/Accepted.h"

#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>

namespace router {

nio::Bytes answerWith(const smpp::Pdu& answer, std::uint32_t sequence, MessageId shown) {
    const MessageIdText id = textOf(shown);
    smpp::PduPatch patch(answer);
    patch.sequence(sequence);
    if (answer.has(smpp::Field::messageId) && patch.text(smpp::Field::messageId, id.view())) {
        return patch.bytes();
    }
    smpp::PduWriter writer(answer.command(), answer.status(), sequence);
    writer.text(id.view());
    if (answer.command() == smpp::Command::submitMultiResp) writer.number(0);
    return writer.finish();
}

std::uint32_t flagsOf(const IdEntry& entry) {
    return (entry.severalDestinations ? severalDestinationsFlag : 0) |
           (entry.wantsReceipt ? wantsReceiptFlag : 0) |
           (entry.otherDestination ? otherDestinationFlag : 0) | (entry.isPart ? partFlag : 0) |
           std::uint32_t{entry.whole.parts} << partsShift;
}

}  // namespace router
