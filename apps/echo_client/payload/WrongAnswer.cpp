#include "echo_client/payload/WrongAnswer.h"

#include <algorithm>

#include "echo_client/payload/HexDump.h"

namespace load {

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
