// A source address as an SMSC was given it, where a route has made it another one than the ESME's:
// whoever asks the SMSC about the message has to give the same.
//
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <smpp/pdu/PduPatch.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/AddressMark.h"

namespace router {

struct SourceAddress {
    std::uint8_t ton = 0;
    std::uint8_t npi = 0;
    std::string address;

    // For the store.
    std::string octets() const;
};

// The addresses of a message as the ESME gave them, for its receipts; of several destinations none.
struct OwnAddresses {
    SourceAddress source;
    SourceAddress destination;

    // For the store.
    std::string octets() const;
};

// Null: they are those that the SMSC has.
using SharedOwn = std::shared_ptr<const OwnAddresses>;
SharedOwn ownFrom(std::string_view octets);
SharedOwn ownOf(const smpp::Pdu& request, SourceAddress destination);

// The address as the rule wants it; nothing where it stays as it is. With a prefix to strip, only
// addresses that begin with it are rewritten.
std::optional<std::string> rewritten(std::string_view address, const AddressRewrite& rewrite);

// Null: none, it is the ESME's.
using SharedSource = std::shared_ptr<const SourceAddress>;
SharedSource sourceFrom(std::string_view octets);
SharedSource sourceSentBy(const RouteConfig* route, const smpp::Pdu& request);
// The source address that the SMSC is given: this one, or the ESME's.
AddressMark senderOf(const smpp::Pdu& request, const SharedSource& source);
// False: the address is longer than its field. No source: nothing is changed.
bool setSource(smpp::PduPatch& patch, const SharedSource& source);

}  // namespace router
