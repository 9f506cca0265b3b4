#include "echo_client/payload/HexDump.h"

#include <algorithm>

namespace load {

namespace {

constexpr std::size_t lineBytes = 16;

void addHex(std::string& text, std::size_t number, unsigned digits) {
    while (digits-- > 0) text += "0123456789abcdef"[number >> 4 * digits & 15];
}

char shown(nio::Byte byte) {
    const auto value = static_cast<char>(byte);
    return value >= ' ' && value <= '~' ? value : '.';
}

void addLine(std::string& text, std::size_t offset, nio::ByteView line) {
    addHex(text, offset, 8);
    for (std::size_t i = 0; i < lineBytes; ++i) {
        text += i % 8 == 0 ? "  " : " ";
        if (i < line.size()) addHex(text, static_cast<std::size_t>(line[i]), 2);
        if (i >= line.size()) text += "  ";
    }
    text += "  |";
    for (const nio::Byte byte : line) text += shown(byte);
    text += "|\n";
}

void addLeftOut(std::string& text, std::size_t bytes) {
    if (bytes > 0) text += "... " + std::to_string(bytes) + " bytes\n";
}

std::size_t firstShown(std::size_t bytes, std::size_t middle) {
    if (bytes <= longestHexDump || middle < longestHexDump / 2) return 0;
    const std::size_t first = std::min(middle, bytes) - longestHexDump / 2;
    return first / lineBytes * lineBytes;
}

}  // namespace

std::string hexDump(nio::ByteView bytes, std::size_t middle) {
    const std::size_t from = firstShown(bytes.size(), middle);
    const std::size_t to = std::min(bytes.size(), from + longestHexDump);
    std::string text;
    addLeftOut(text, from);
    for (std::size_t at = from; at < to; at += lineBytes) {
        addLine(text, at, bytes.subspan(at, std::min(lineBytes, to - at)));
    }
    addLeftOut(text, bytes.size() - to);
    return text;
}

}  // namespace load
