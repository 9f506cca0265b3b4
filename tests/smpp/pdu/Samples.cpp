#include "Samples.h"

#include <algorithm>

#include "Octets.h"

namespace smpp::smpptest {

// clang-format off
const std::vector<Sample>& samples() {
    static const std::vector<Sample> all{
        {Command::bindReceiver,
         "00000034 00000001 00000000 00000001",
         {
             {Field::systemId, "'SMPP3TEST' 00"},
             {Field::password, "'secret08' 00"},
             {Field::systemType, "'SUBMIT1' 00"},
             {Field::interfaceVersion, "34"},
             {Field::addressTon, "01"},
             {Field::addressNpi, "01"},
             {Field::addressRange, "'^4670' 00"},
         },
         {}},
        {Command::bindReceiverResp,
         "0000001A 80000001 00000000 00000001",
         {
             {Field::systemId, "'SMSC' 00"},
         },
         {
             "0210 0001 34",  // sc_interface_version
         }},
        {Command::bindTransmitter,
         "00000028 00000002 00000000 00000002",
         {
             {Field::systemId, "'SMPP3TEST' 00"},
             {Field::password, "'secret08' 00"},
             {Field::systemType, "00"},
             {Field::interfaceVersion, "33"},
             {Field::addressTon, "00"},
             {Field::addressNpi, "00"},
             {Field::addressRange, "00"},
         },
         {}},
        {Command::bindTransmitterResp,
         "00000015 80000002 00000000 00000002",
         {
             {Field::systemId, "'SMSC' 00"},
         },
         {}},
        {Command::querySm,
         "00000027 00000003 00000000 00000003",
         {
             {Field::messageId, "'0A1B2C3D' 00"},
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "08"},
             {Field::sourceAddress, "'46701234567' 00"},
         },
         {}},
        {Command::querySmResp,
         "0000002C 80000003 00000000 00000003",
         {
             {Field::messageId, "'0A1B2C3D' 00"},
             {Field::finalDate, "'991231235959000+' 00"},
             {Field::messageState, "02"},
             {Field::errorCode, "11"},
         },
         {}},
        {Command::submitSm,
         "0000006C 00000004 00000000 00000004",
         {
             {Field::serviceType, "'CMT' 00"},
             {Field::sourceTon, "05"},
             {Field::sourceNpi, "00"},
             {Field::sourceAddress, "'Sender' 00"},
             {Field::destinationTon, "01"},
             {Field::destinationNpi, "01"},
             {Field::destinationAddress, "'46701234567' 00"},
             {Field::esmClass, "03"},
             {Field::protocolId, "11"},
             {Field::priority, "02"},
             {Field::scheduleTime, "'991231235959000+' 00"},
             {Field::validityPeriod, "'000002000000000R' 00"},
             {Field::registeredDelivery, "03"},
             {Field::replaceIfPresent, "01"},
             {Field::dataCoding, "F5"},
             {Field::defaultMessageId, "07"},
             {Field::messageLength, "05"},
             {Field::shortMessage, "'Hello'"},
         },
         {
             "0204 0002 1234",  // user_message_reference
             "1401 0003 'abc'",  // an unknown tag
             "0005 0001 01",  // dest_addr_subunit
         }},
        {Command::submitSmResp,
         "00000019 80000004 00000000 00000004",
         {
             {Field::messageId, "'0A1B2C3D' 00"},
         },
         {}},
        {Command::deliverSm,
         "00000057 00000005 00000000 00000005",
         {
             {Field::serviceType, "00"},
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "01"},
             {Field::sourceAddress, "'46701234567' 00"},
             {Field::destinationTon, "00"},
             {Field::destinationNpi, "01"},
             {Field::destinationAddress, "'12345' 00"},
             {Field::esmClass, "04"},
             {Field::protocolId, "00"},
             {Field::priority, "00"},
             {Field::scheduleTime, "00"},
             {Field::validityPeriod, "00"},
             {Field::registeredDelivery, "00"},
             {Field::replaceIfPresent, "00"},
             {Field::dataCoding, "00"},
             {Field::defaultMessageId, "00"},
             {Field::messageLength, "0D"},
             {Field::shortMessage, "'id:0A1B2C3D a'"},
         },
         {
             "001E 0009 '0A1B2C3D' 00",  // receipted_message_id
             "0427 0001 02",  // message_state
             "0423 0003 030001",  // network_error_code
         }},
        {Command::deliverSmResp,
         "00000011 80000005 00000000 00000005",
         {
             {Field::messageId, "00"},
         },
         {}},
        {Command::unbind,
         "00000010 00000006 00000000 00000006",
         {},
         {}},
        {Command::unbindResp,
         "00000010 80000006 00000000 00000006",
         {},
         {}},
        {Command::replaceSm,
         "0000003F 00000007 00000000 00000007",
         {
             {Field::messageId, "'0A1B2C3D' 00"},
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "01"},
             {Field::sourceAddress, "'46701234567' 00"},
             {Field::scheduleTime, "'991231235959000+' 00"},
             {Field::validityPeriod, "00"},
             {Field::registeredDelivery, "01"},
             {Field::defaultMessageId, "09"},
             {Field::messageLength, "03"},
             {Field::shortMessage, "'new'"},
         },
         {}},
        {Command::replaceSmResp,
         "00000010 80000007 00000000 00000007",
         {},
         {}},
        {Command::cancelSm,
         "00000033 00000008 00000000 00000008",
         {
             {Field::serviceType, "'CMT' 00"},
             {Field::messageId, "'0A1B2C3D' 00"},
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "01"},
             {Field::sourceAddress, "'12345' 00"},
             {Field::destinationTon, "02"},
             {Field::destinationNpi, "08"},
             {Field::destinationAddress, "'46701234567' 00"},
         },
         {}},
        {Command::cancelSmResp,
         "00000010 80000008 00000000 00000008",
         {},
         {}},
        {Command::bindTransceiver,
         "0000002B 00000009 00000000 00000009",
         {
             {Field::systemId, "'esme1' 00"},
             {Field::password, "'secret1' 00"},
             {Field::systemType, "'VMA' 00"},
             {Field::interfaceVersion, "34"},
             {Field::addressTon, "02"},
             {Field::addressNpi, "08"},
             {Field::addressRange, "'12345' 00"},
         },
         {}},
        {Command::bindTransceiverResp,
         "0000001C 80000009 00000000 00000009",
         {
             {Field::systemId, "'router' 00"},
         },
         {
             "0210 0001 50",  // sc_interface_version
         }},
        {Command::outbind,
         "0000001E 0000000B 00000000 0000000B",
         {
             {Field::systemId, "'SMSC' 00"},
             {Field::password, "'secret08' 00"},
         },
         {}},
        {Command::enquireLink,
         "00000010 00000015 00000000 00000015",
         {},
         {}},
        {Command::enquireLinkResp,
         "00000010 80000015 00000000 00000015",
         {},
         {}},
        {Command::submitMulti,
         "0000005D 00000021 00000000 00000021",
         {
             {Field::serviceType, "'CMT' 00"},
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "01"},
             {Field::sourceAddress, "'12345' 00"},
             {Field::destinationCount, "03"},
             {Field::destinations, "01 01 01 '4670111' 00 "    // dest_flag 1, ton, npi, address
                                   "02 'friends' 00 "          // dest_flag 2, dl_name
                                   "01 02 08 '0702222' 00"},
             {Field::esmClass, "03"},
             {Field::protocolId, "00"},
             {Field::priority, "01"},
             {Field::scheduleTime, "00"},
             {Field::validityPeriod, "'000001000000000R' 00"},
             {Field::registeredDelivery, "01"},
             {Field::replaceIfPresent, "00"},
             {Field::dataCoding, "08"},
             {Field::defaultMessageId, "00"},
             {Field::messageLength, "02"},
             {Field::shortMessage, "00E5"},
         },
         {
             "0201 0001 02",  // privacy_indicator
         }},
        {Command::submitMultiResp,
         "00000036 80000021 00000000 00000021",
         {
             {Field::messageId, "'0A1B2C3D' 00"},
             {Field::unsuccessCount, "02"},
             {Field::unsuccess, "01 01 '4670111' 00 0000000B "  // ton, npi, address, status
                                "02 08 '0702222' 00 00000412"},
         },
         {}},
        {Command::alertNotification,
         "0000002B 00000102 00000000 00000102",
         {
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "01"},
             {Field::sourceAddress, "'46701234567' 00"},
             {Field::esmTon, "02"},
             {Field::esmNpi, "08"},
             {Field::esmAddress, "'12345' 00"},
         },
         {
             "0422 0001 00",  // ms_availability_status
         }},
        {Command::dataSm,
         "0000003D 00000103 00000000 00000103",
         {
             {Field::serviceType, "'WAP' 00"},
             {Field::sourceTon, "01"},
             {Field::sourceNpi, "01"},
             {Field::sourceAddress, "'12345' 00"},
             {Field::destinationTon, "01"},
             {Field::destinationNpi, "0E"},
             {Field::destinationAddress, "'46701234567' 00"},
             {Field::esmClass, "40"},
             {Field::registeredDelivery, "01"},
             {Field::dataCoding, "04"},
         },
         {
             "0424 0006 010203040506",  // message_payload
             "020A 0002 23F0",  // source_port
         }},
        {Command::dataSmResp,
         "00000027 80000103 00000000 00000103",
         {
             {Field::messageId, "'0A1B2C3D' 00"},
         },
         {
             "0425 0001 02",  // delivery_failure_reason
             "001D 0005 'later'",  // additional_status_info_text
         }},
        {Command::genericNack,
         "00000010 80000000 00000003 FFFFFFFE",
         {},
         {}},
    };
    return all;
}
// clang-format on

const Sample& sampleOf(Command command) {
    return *std::ranges::find(samples(), command, &Sample::command);
}

nio::Bytes Sample::pdu() const {
    std::string written(header);
    for (const SampleField& field : fields) written += field.octets;
    for (std::string_view tlv : tlvs) written += tlv;
    return octets(written);
}

nio::Bytes followed(Command command, std::string_view written) {
    nio::Bytes pdu = sampleOf(command).pdu();
    const nio::Bytes more = octets(written);
    pdu.insert(pdu.end(), more.begin(), more.end());
    return withLength(pdu);
}

}  // namespace smpp::smpptest
