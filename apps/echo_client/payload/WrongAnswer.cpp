#include "echo_client/payload/WrongAnswer.h"

#include <algorithm>

namespace load {

namespace {

// --- a hex dump -----------------------------------------------------------------------------

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

// --- wrong answers --------------------------------------------------------------------------

namespace {

std::string hex(nio::Byte byte) {
    constexpr const char* digits = "0123456789abcdef";
    const auto value = static_cast<unsigned>(byte);
    return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

std::size_t sameBytes(nio::ByteView a, nio::ByteView b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<std::size_t>(end - a.begin());
}

std::string lineOf(const WrongAnswer& answer) {
    return "connection " + std::to_string(answer.connection) + ", message " +
           std::to_string(answer.sequence) + ": " + answer.what;
}

std::string section(const char* name, nio::ByteView bytes, std::size_t middle) {
    return std::string(name) + ", " + std::to_string(bytes.size()) + " bytes:\n" +
           hexDump(bytes, middle);
}

std::string frameOf(const WrongAnswer& answer) {
    const std::size_t same = sameBytes(answer.got, answer.expected);
    std::string text = lineOf(answer) + "\n" + section("got", answer.got, same);
    if (!answer.expected.empty()) text += section("expected", answer.expected, same);
    return text;
}

}  // namespace

std::string differenceOf(nio::ByteView got, nio::ByteView expected) {
    const std::size_t at = sameBytes(got, expected);
    if (at == std::min(got.size(), expected.size())) return {};
    return "byte " + std::to_string(at) + " is " + hex(got[at]) + " instead of " +
           hex(expected[at]);
}

bool wantsExample(const LoadErrors& errors) {
    return errors.wrongAnswerExample.empty() || errors.badFrame.empty();
}

void keepExample(LoadErrors& errors, const WrongAnswer& answer) {
    if (errors.wrongAnswerExample.empty()) errors.wrongAnswerExample = lineOf(answer);
    if (errors.badFrame.empty() && !answer.got.empty()) errors.badFrame = frameOf(answer);
}

}  // namespace load
