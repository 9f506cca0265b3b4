#include "smpp_bench/Stamp.h"

#include <algorithm>
#include <string_view>

namespace smppbench {

namespace {

constexpr std::string_view mark = "nio-bench ";
constexpr std::size_t digits = 8;
// A run that is longer than this is not remembered further: memory has a limit.
constexpr std::uint32_t mostNumbers = 1u << 30;

void writeHex(std::uint32_t value, nio::Byte* at) {
    for (std::size_t i = digits; i-- > 0; value >>= 4) {
        at[i] = static_cast<nio::Byte>("0123456789abcdef"[value & 15u]);
    }
}

std::optional<std::uint32_t> readHex(std::string_view text) {
    std::uint32_t value = 0;
    for (const char c : text) {
        const std::size_t digit = std::string_view("0123456789abcdef").find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    return value;
}

}  // namespace

void Stamp::writeTo(std::span<nio::Byte> text) const {
    const nio::ByteView marked = nio::asBytes(mark);
    std::copy(marked.begin(), marked.end(), text.begin());
    writeHex(run, text.data() + mark.size());
    text[mark.size() + digits] = nio::Byte{' '};
    writeHex(number, text.data() + mark.size() + digits + 1);
}

std::optional<Stamp> Stamp::read(nio::ByteView text) {
    const std::string_view all = nio::asText(text);
    if (all.size() < octets || !all.starts_with(mark)) return std::nullopt;
    const auto run = readHex(all.substr(mark.size(), digits));
    const auto number = readHex(all.substr(mark.size() + digits + 1, digits));
    if (!run || !number) return std::nullopt;
    return Stamp{*run, *number};
}

bool SeenStamps::add(Stamp stamp) {
    if (stamp.number >= mostNumbers) return true;
    std::vector<bool>& seen = runs_[stamp.run];
    if (seen.size() <= stamp.number) seen.resize(stamp.number + std::size_t{1});
    if (seen[stamp.number]) return false;
    seen[stamp.number] = true;
    return true;
}

}  // namespace smppbench
