#include "sms_router/model/MalformedPdus.h"

#include <algorithm>

#include <nio/base/Log.h>

#include <smpp/pdu/Pdu.h>

#include "common/Hex.h"

namespace router {

namespace {

bool mayHoldPassword(smpp::Command command) {
    return smpp::isBind(command) || command == smpp::Command::outbind;
}

std::string summary(const std::optional<smpp::Header>& header, std::string_view peer,
                    smpp::Status problem) {
    const bool isMisplaced =
        problem == smpp::Status::invBndSts || problem == smpp::Status::invCmdId;
    const bool isWhole = isMisplaced && header && smpp::isKnown(header->command);
    return std::string(isWhole ? "unexpected " : "malformed ") +
           std::string(header ? smpp::nameOf(header->command) : "PDU") + " from " +
           std::string(peer) + ": " + smpp::nameOf(problem);
}

std::string octetsText(const std::optional<smpp::Header>& header, nio::ByteView octets) {
    std::size_t shown = std::min(octets.size(), MalformedPdus::mostOctets);
    if (header && mayHoldPassword(header->command)) shown = std::min(shown, smpp::Header::bytes);
    const std::string first =
        shown < octets.size() ? "first " + std::to_string(shown) + " of " : std::string();
    return "; " + first + std::to_string(octets.size()) +
           " octets: " + apps::hexOf(octets.first(shown));
}

}  // namespace

std::string MalformedPdus::line(std::string_view whose, std::string_view peer, bool isBound,
                                smpp::Status problem, nio::ByteView octets) {
    const std::optional<smpp::Header> header = smpp::Header::read(octets);
    const std::string line = std::string(whose) + ": " + summary(header, peer, problem);
    return isBound ? line + octetsText(header, octets) : line;
}

void MalformedPdus::note(std::string_view whose, std::string_view peer, bool isBound,
                         smpp::Status problem, nio::ByteView octets) {
    ++counts_[problem];
    last_.note(summary(smpp::Header::read(octets), peer, problem));
    if (const auto more = limit_.admit(nio::Clock::now())) {
        nio::log(nio::LogLevel::warning, line(whose, peer, isBound, problem, octets) + *more);
    }
}

}  // namespace router
