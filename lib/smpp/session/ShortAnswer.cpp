#include <smpp/pdu/Pdu.h>
#include <smpp/session/ShortAnswer.h>

namespace smpp {

namespace {

// The octets of a body whose strings are empty and whose integers are 0.
std::size_t emptyBodyOf(Command request, bool ok) {
    switch (request) {
        case Command::deliverSm:
        case Command::dataSm: return 1;
        case Command::bindReceiver:
        case Command::bindTransmitter:
        case Command::bindTransceiver:
        case Command::submitSm: return ok ? 1 : 0;
        case Command::submitMulti: return ok ? 2 : 0;
        case Command::querySm: return ok ? 4 : 0;
        default: return 0;
    }
}

void put(nio::Byte* at, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = static_cast<nio::Byte>((value >> shift) & 0xFF);
    }
}

}  // namespace

ShortAnswer::ShortAnswer(Command request, Status status, std::uint32_t sequence)
    : ShortAnswer(hasResponse(request) ? responseTo(request) : Command::genericNack, status,
                  sequence, emptyBodyOf(request, status == Status::ok)) {}

ShortAnswer ShortAnswer::genericNack(Status status, std::uint32_t sequence) {
    return ShortAnswer(Command::genericNack, status, sequence, 0);
}

ShortAnswer::ShortAnswer(Command command, Status status, std::uint32_t sequence,
                         std::size_t bodySize)
    : size_(Header::bytes + bodySize) {
    put(octets_.data(), static_cast<std::uint32_t>(size_));
    put(octets_.data() + 4, static_cast<std::uint32_t>(command));
    put(octets_.data() + 8, static_cast<std::uint32_t>(status));
    put(octets_.data() + 12, sequence);
}

}  // namespace smpp
