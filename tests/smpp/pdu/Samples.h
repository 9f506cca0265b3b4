// One whole PDU of each operation and response, laid out by field as in the tables of SMPP 3.4,
// chapter 4. Typed from there: nothing of lib/smpp had a hand in them.
#pragma once

#include <string_view>
#include <vector>

#include <nio/base/Bytes.h>
#include <smpp/pdu/Command.h>
#include <smpp/pdu/Field.h>

namespace smpp::smpptest {

struct SampleField {
    Field field;
    std::string_view octets;
};

struct Sample {
    Command command;
    std::string_view header;
    std::vector<SampleField> fields;
    std::vector<std::string_view> tlvs;

    nio::Bytes pdu() const;
};

const std::vector<Sample>& samples();
const Sample& sampleOf(Command command);
// With something behind it; its length says so.
nio::Bytes followed(Command command, std::string_view written);

}  // namespace smpp::smpptest
