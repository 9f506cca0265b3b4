// What the messages of one worker are made of, and the exchanges that check it.
//
// Stamped, wherever the smallest message has room for it: each message begins with its connection,
// its sequence number, its length and a CRC-32C (RFC 3720, B.4) over all of it; the rest are bytes
// of the Pattern from a place of the message's own. stampBytes() is 16, or 32 hexadecimal digits
// where a framing wants text. Smaller messages are the Pattern itself, byte for byte: each byte is
// checked, but a wrong one can only be counted as corrupted, and ends the connection.
//
// Thread: one at a time; each worker has its own. Lifetime: longer than its exchanges.
#pragma once

#include <memory>

#include "common/Framing.h"
#include "echo_client/payload/Dialogue.h"
#include "echo_client/payload/Exchange.h"
#include "echo_client/payload/Pattern.h"
#include "echo_client/plan/SizeDistribution.h"

namespace load {

class Payload {
  public:
    // With a dialogue, its messages take the place of those described above. One way, no answers
    // are awaited, and the messages without a dialogue have no stamps.
    Payload(apps::Framing framing, const SizeDistribution& sizes, std::uint64_t seed,
            const Dialogue* dialogue = nullptr, bool isOneWay = false);
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;

    static std::size_t stampBytes(apps::Framing framing);
    bool isStamped() const { return stamped_; }

    // For the `incarnation`-th connection with this number.
    std::unique_ptr<Exchange> newExchange(std::size_t connection, std::uint64_t incarnation,
                                          Tally& tally);

  private:
    const apps::Framing framing_;
    const SizeDistribution& sizes_;
    const std::uint64_t seed_;
    const Dialogue* const dialogue_;
    const bool isOneWay_;
    const bool stamped_;
    const Pattern pattern_;
    nio::Bytes scratch_;
};

}  // namespace load
