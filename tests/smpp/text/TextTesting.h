// PDUs for the tests of this room, written octet by octet.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <smpp/pdu/Pdu.h>

namespace smpp::smpptest {

using namespace std::string_literals;

// deliver_sm (0x05), data_sm (0x103) or submit_sm (0x04) with empty addresses.
class TextSample {
  public:
    TextSample(std::uint32_t command, std::uint8_t esmClass, std::uint8_t dataCoding,
               std::string_view message, std::string_view tlvs = {}) {
        std::string body("\0\0\0\0\0\0\0"s);  // service_type, source, destination
        body += static_cast<char>(esmClass);
        if (command == 0x103) {
            body += '\0';  // registered_delivery
            body += static_cast<char>(dataCoding);
        } else {
            body += "\0\0\0\0\0\0"s;  // protocol_id to replace_if_present
            body += static_cast<char>(dataCoding);
            body += '\0';
            body += static_cast<char>(message.size());
            body += message;
        }
        body += tlvs;
        octets_ = number(16 + body.size()) + number(command) + number(0) + number(1) + body;
    }

    Pdu pdu() const {
        const Scanned scanned = scan(nio::asBytes(octets_), Reading::tolerant);
        if (!scanned.pdu) throw std::logic_error("the sample is malformed");
        return *scanned.pdu;
    }

  private:
    static std::string number(std::size_t value) {
        std::string octets;
        for (int shift = 24; shift >= 0; shift -= 8) octets += static_cast<char>(value >> shift);
        return octets;
    }

    std::string octets_;
};

inline nio::Bytes octetsOf(std::initializer_list<int> values) {
    nio::Bytes bytes;
    for (const int value : values) bytes.push_back(static_cast<nio::Byte>(value));
    return bytes;
}

// ASCII as UCS2.
inline std::string wide(std::string_view text) {
    std::string octets;
    for (const char c : text) {
        octets += '\0';
        octets += c;
    }
    return octets;
}

}  // namespace smpp::smpptest
