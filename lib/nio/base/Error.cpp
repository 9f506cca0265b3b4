#include <nio/base/Error.h>

namespace nio {

namespace {

const char* describe(Errc code) {
    switch (code) {
        case Errc::stopped: return "the dispatcher has stopped";
        case Errc::notStarted: return "the dispatcher was never started";
        case Errc::queueFull: return "the invocation queue is full";
        case Errc::waitCycle: return "the dispatchers would wait for each other";
        case Errc::notRegistered: return "the channel is not registered";
        case Errc::alreadyRegistered: return "the channel is registered elsewhere";
        case Errc::notSupported: return "not supported here";
        case Errc::badAddress: return "not an address";
        case Errc::nameNotFound: return "name not found";
        case Errc::timedOut: return "timed out";
        case Errc::packetTooLong: return "packet too long";
        case Errc::malformedPacket: return "malformed packet";
        case Errc::notEncodable: return "the framing cannot carry this packet";
        case Errc::outputLimit: return "output limit exceeded";
        case Errc::handlerFailed: return "a callback threw an exception";
        case Errc::cancelled: return "cancelled";
        case Errc::truncated: return "unexpected end of stream";
        case Errc::encodingFailed: return "encoding failed";
        case Errc::notMovable: return "the channel cannot migrate";
        case Errc::memoryBudget: return "memory budget exhausted";
        case Errc::loopFailed: return "its event loop failed repeatedly";
        case Errc::threadEnded: return "a callback ended the dispatcher's thread";
    }
    return "unknown error";
}

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "nio"; }
    std::string message(int code) const override { return describe(static_cast<Errc>(code)); }
};

}  // namespace

const std::error_category& errorCategory() noexcept {
    static const Category category;
    return category;
}

std::error_code make_error_code(Errc code) noexcept {
    return {static_cast<int>(code), errorCategory()};
}

std::string Error::message() const {
    return context_.empty() ? code_.message() : context_ + ": " + code_.message();
}

}  // namespace nio
