#include "echo_client/payload/Payload.h"

#include "echo_client/payload/DialogueExchange.h"
#include "echo_client/payload/OneWayExchange.h"
#include "echo_client/payload/PatternExchange.h"
#include "echo_client/payload/StampedExchange.h"

namespace load {

namespace {

bool wantsText(apps::Framing framing) {
    return framing == apps::Framing::lines || framing == apps::Framing::stxEtx;
}

StampForm formOf(apps::Framing framing) {
    return wantsText(framing) ? StampForm::text : StampForm::binary;
}

Pattern::Alphabet alphabetOf(apps::Framing framing) {
    return wantsText(framing) ? Pattern::Alphabet::printable : Pattern::Alphabet::anyByte;
}

// Others than those of the connection's send plan.
Random randomOf(std::uint64_t seed, std::size_t connection, std::uint64_t incarnation) {
    constexpr std::uint64_t payload = 0x7061796c6f6164;
    return {seed ^ payload, incarnation << 32 | connection};
}

std::size_t startOf(const Pattern& pattern, std::size_t connection, std::uint64_t incarnation) {
    constexpr std::size_t stride = 12'007;
    const std::size_t onwards = incarnation % pattern.period() * stride;
    return (pattern.startOf(connection) + onwards) % pattern.period();
}

}  // namespace

Payload::Payload(apps::Framing framing, const SizeDistribution& sizes, std::uint64_t seed,
                 const Dialogue* dialogue, bool isOneWay)
    : framing_(framing),
      sizes_(sizes),
      seed_(seed),
      dialogue_(dialogue),
      isOneWay_(isOneWay),
      stamped_(sizes.smallest() >= stampBytes(framing)),
      pattern_(alphabetOf(framing), sizes.largest()),
      scratch_(stamped_ ? sizes.largest() : 0) {}

std::size_t Payload::stampBytes(apps::Framing framing) {
    return load::stampBytes(formOf(framing));
}

std::unique_ptr<Exchange> Payload::newExchange(std::size_t connection, std::uint64_t incarnation,
                                               Tally& tally) {
    Random random = randomOf(seed_, connection, incarnation);
    if (isOneWay_) {
        return std::make_unique<OneWayExchange>(dialogue_, pattern_, sizes_, random, connection,
                                                startOf(pattern_, connection, incarnation), tally);
    }
    if (dialogue_ != nullptr) {
        return std::make_unique<DialogueExchange>(*dialogue_, connection, random, tally);
    }
    const std::uint64_t start = random.next();
    if (stamped_) {
        const MessageMaker maker(formOf(framing_), pattern_, static_cast<std::uint32_t>(connection),
                                 start);
        return std::make_unique<StampedExchange>(maker, sizes_, random, tally, scratch_);
    }
    return std::make_unique<PatternExchange>(pattern_, sizes_, random, connection,
                                             startOf(pattern_, connection, incarnation), tally);
}

}  // namespace load
