// The mandatory parameters of all operations, by name.
//
// Thread: any; values.
// Source: SMPP 3.4, 5.2.
#pragma once

#include <cstdint>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

enum class Field : std::uint8_t {
    systemId,
    password,
    systemType,
    interfaceVersion,
    addressTon,
    addressNpi,
    addressRange,
    serviceType,
    sourceTon,
    sourceNpi,
    sourceAddress,
    destinationTon,
    destinationNpi,
    destinationAddress,
    destinationCount,  // number_of_dests
    destinations,      // dest_address(es): octets
    esmTon,            // esme_addr_ton of alert_notification
    esmNpi,
    esmAddress,
    esmClass,
    protocolId,
    priority,
    scheduleTime,
    validityPeriod,
    registeredDelivery,
    replaceIfPresent,
    dataCoding,
    defaultMessageId,  // sm_default_msg_id
    messageLength,     // sm_length
    shortMessage,      // octets
    messageId,
    finalDate,
    messageState,
    errorCode,
    unsuccessCount,  // no_unsuccess
    unsuccess,       // unsuccess_sme(s): octets
    count,           // how many there are; no field
};

// The specification's name, "short_message".
std::string_view nameOf(Field field);

}  // namespace smpp
