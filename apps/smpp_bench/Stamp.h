// What makes each message of a run recognisable wherever it turns up: the first octets of its text,
// "nio-bench RRRRRRRR NNNNNNNN" (the run and the message's number in it, in hex).
//
// Thread: any; SeenStamps one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <nio/base/Bytes.h>

namespace smppbench {

struct Stamp {
    static constexpr std::size_t octets = 27;

    std::uint32_t run = 0;
    std::uint32_t number = 0;

    // `text` has room for it.
    void writeTo(std::span<nio::Byte> text) const;
    static std::optional<Stamp> read(nio::ByteView text);
    bool operator==(const Stamp&) const = default;
};

class SeenStamps {
  public:
    // False: it was there before.
    bool add(Stamp stamp);

  private:
    std::unordered_map<std::uint32_t, std::vector<bool>> runs_;
};

}  // namespace smppbench
