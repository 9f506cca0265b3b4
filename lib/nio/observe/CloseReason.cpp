#include <nio/observe/CloseReason.h>

#include <array>

namespace nio {

namespace {

CloseReason ours(Errc code) {
    switch (code) {
        case Errc::timedOut: return CloseReason::timedOut;
        case Errc::cancelled: return CloseReason::cancelled;
        case Errc::outputLimit: return CloseReason::outputLimit;
        case Errc::memoryBudget: return CloseReason::memoryBudget;
        case Errc::handlerFailed: return CloseReason::failed;
        case Errc::packetTooLong:
        case Errc::malformedPacket:
        case Errc::notEncodable:
        case Errc::truncated:
        case Errc::encodingFailed: return CloseReason::protocol;
        default: return CloseReason::other;
    }
}

}  // namespace

CloseReason closeReasonOf(const std::optional<Error>& error) {
    if (!error) return CloseReason::finished;
    if (error->code().category() == errorCategory()) {
        return ours(static_cast<Errc>(error->code().value()));
    }
    if (error->is(std::errc::connection_reset) || error->is(std::errc::broken_pipe)) {
        return CloseReason::reset;
    }
    return error->is(std::errc::timed_out) ? CloseReason::timedOut : CloseReason::other;
}

std::string_view toString(CloseReason reason) {
    constexpr std::array<std::string_view, closeReasons> names{
        "finished",      "reset",          "timed_out", "cancelled", "output_limit",
        "memory_budget", "handler_failed", "protocol",  "other"};
    return names[static_cast<std::size_t>(reason)];
}

}  // namespace nio
