#include "smpp_bench/smsc/Submission.h"

#include <algorithm>

namespace smppbench {

using smpp::Field;

namespace {

constexpr nio::Byte addressFlag{1};

std::string takeText(nio::ByteView& rest) {
    const auto end = std::find(rest.begin(), rest.end(), nio::Byte{0});
    std::string text(nio::asText({rest.begin(), end}));
    rest = rest.subspan(std::min(rest.size(), text.size() + 1));
    return text;
}

std::vector<Address> listed(nio::ByteView rest) {
    std::vector<Address> all;
    while (!rest.empty()) {
        const bool isAddress = rest[0] == addressFlag;
        rest = rest.subspan(1);
        Address address;
        if (isAddress && rest.size() >= 2) {
            address.ton = std::to_integer<std::uint8_t>(rest[0]);
            address.npi = std::to_integer<std::uint8_t>(rest[1]);
            rest = rest.subspan(2);
        }
        address.digits = takeText(rest);
        if (isAddress) all.push_back(std::move(address));
    }
    return all;
}

}  // namespace

Address sourceOf(const smpp::Pdu& pdu) {
    return {pdu.number(Field::sourceTon), pdu.number(Field::sourceNpi),
            std::string(pdu.text(Field::sourceAddress))};
}

std::vector<Address> destinationsOf(const smpp::Pdu& pdu) {
    if (pdu.command() == smpp::Command::submitMulti) {
        return listed(pdu.octets(Field::destinations));
    }
    return {{pdu.number(Field::destinationTon), pdu.number(Field::destinationNpi),
             std::string(pdu.text(Field::destinationAddress))}};
}

}  // namespace smppbench
