// The bytes that every connection of a misbehaviour sends, from the beginning on.
//
// Messages are letters, which every framing can carry, drawn by --seed: no two are alike, so that
// an answer to another message is not taken for the right one (short of a few bytes).
//
// Thread: any; not changed once made.
#pragma once

#include <cstdint>
#include <vector>

#include <nio/base/Bytes.h>

#include "echo_client/options/LoadOptions.h"

namespace load {

class Script {
  public:
    // Whole messages, again and again.
    static Script messages(const LoadOptions& options);
    // The first half of one message, rounded down.
    static Script halfMessage(const LoadOptions& options);
    // The longest message that the framing knows, without its last byte. Raw bytes, which end
    // nowhere, again and again.
    static Script endlessMessage(const LoadOptions& options);

    // At most so many bytes from there on, at least one; none behind the end. Lives as long as the
    // script.
    nio::ByteView at(std::uint64_t position, std::size_t most) const;

    std::size_t messageCount() const { return ends_.size(); }
    // In bytes, with its framing; of the message that has this number, round and round.
    std::size_t beginOf(std::size_t message) const;
    std::size_t sizeOf(std::size_t message) const;

  private:
    nio::Bytes bytes_;
    std::vector<std::size_t> ends_;  // of whole messages
    bool repeats_ = false;
};

}  // namespace load
