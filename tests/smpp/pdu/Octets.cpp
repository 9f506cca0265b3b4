#include "Octets.h"

#include <algorithm>
#include <stdexcept>

namespace smpp::smpptest {

namespace {

unsigned digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    throw std::invalid_argument(std::string("no hexadecimal digit: ") + c);
}

}  // namespace

nio::Bytes octets(std::string_view written) {
    nio::Bytes made;
    while (!written.empty()) {
        std::size_t used = 2;
        if (written.front() == ' ') {
            used = 1;
        } else if (written.front() == '\'') {
            const std::string_view text = written.substr(1, written.find('\'', 1) - 1);
            for (char c : text) made.push_back(static_cast<nio::Byte>(c));
            used = text.size() + 2;
        } else {
            made.push_back(
                static_cast<nio::Byte>(digit(written.at(0)) << 4 | digit(written.at(1))));
        }
        written.remove_prefix(used);
    }
    return made;
}

nio::Bytes withLength(nio::Bytes pdu) {
    for (std::size_t i = 0; i < 4; ++i) {
        pdu.at(i) = static_cast<nio::Byte>(pdu.size() >> (24 - 8 * i) & 0xFF);
    }
    return pdu;
}

nio::Bytes pduOf(std::string_view withoutLength) {
    return withLength(octets("00000000" + std::string(withoutLength)));
}

std::string shown(nio::ByteView bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (nio::Byte byte : bytes) {
        text += digits[std::to_integer<std::size_t>(byte >> 4)];
        text += digits[std::to_integer<std::size_t>(byte & nio::Byte{0xF})];
    }
    return text;
}

std::string written(std::string_view text) {
    return shown(octets(text));
}

Exactly::Exactly(nio::ByteView bytes)
    : size_(bytes.size()), block_(std::make_unique<nio::Byte[]>(bytes.size())) {
    std::ranges::copy(bytes, block_.get());
}

}  // namespace smpp::smpptest
