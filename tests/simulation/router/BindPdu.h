// How an ESME binds: the accounts are esme0, esme1, …, as RouterScenario has them.
#pragma once

#include <string>

#include <smpp/pdu/PduWriter.h>

namespace simulation {

inline nio::Bytes bindPdu(smpp::Command command, std::size_t account, std::uint8_t version = 0x34) {
    smpp::PduWriter pdu(command, smpp::Status::ok, 1);
    pdu.text("esme" + std::to_string(account)).text("secret").text("");
    return pdu.number(version).number(0).number(0).text("").finish();
}

}  // namespace simulation
