// submit_multi: its destinations dealt out to connectors, and the answers of several connectors
// made one.
//
// Thread: that of the connection.
// Source: SMPP 3.4, 4.5.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <smpp/pdu/PduPatch.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/flow/MessageId.h"
#include "sms_router/flow/SourceAddress.h"

namespace router {

// One dest_address.
struct Destination {
    bool isList = false;
    std::uint8_t ton = 0;
    std::uint8_t npi = 0;
    std::string_view address;  // or the name of the distribution list
};

// Views into the PDU, which was scanned.
std::vector<Destination> destinationsOf(const smpp::Pdu& submitMulti);

// The destinations that take one route to one connector.
class DestinationGroup {
  public:
    // The route may be null: nothing is rewritten then. It must outlive the group.
    DestinationGroup(std::size_t connector, const RouteConfig* route)
        : connector_(connector), route_(route) {}

    std::size_t connector() const { return connector_; }
    const RouteConfig* route() const { return route_; }
    // False: its address becomes too long; it was not added.
    bool add(const Destination& destination);
    // As the ESME named them.
    const std::vector<Destination>& destinations() const { return destinations_; }
    // The request with these destinations instead of its own, rewritten, and this source. Nothing:
    // the source does not fit.
    std::optional<nio::Bytes> request(const smpp::Pdu& submitMulti,
                                      const SharedSource& source) const;

  private:
    std::size_t connector_;
    const RouteConfig* route_;
    std::vector<Destination> destinations_;
    nio::Bytes octets_;
};

// Answers that are complete when all parts have come.
class MultiSubmits {
  public:
    bool isUnderWay(std::uint32_t sequence) const { return multis_.contains(sequence); }
    // `parts`: the destinations of each, which are under way. Not while one of this number is.
    void begin(std::uint32_t sequence, MessageId id,
               const std::vector<std::vector<Destination>>& parts);
    void addUnsuccess(std::uint32_t sequence, const Destination& destination, smpp::Status status);
    // The answer of one part, from 1. The whole answer when it was the last.
    std::optional<nio::Bytes> partAnswered(std::uint32_t sequence, std::uint32_t part,
                                           nio::ByteView response);

  private:
    struct OwnDestination {
        std::uint8_t ton = 0;
        std::uint8_t npi = 0;
        std::string address;
    };
    struct Multi {
        MessageId id = 0;
        std::size_t missing = 0;
        std::vector<std::vector<OwnDestination>> parts;
        bool anyAccepted = false;
        smpp::Status firstRefusal = smpp::Status::ok;
        std::size_t unsuccessful = 0;
        nio::Bytes unsuccess;
    };

    static void addRefused(Multi& multi, const OwnDestination& destination, smpp::Status status);
    static void addAnswer(Multi& multi, std::uint32_t part, nio::ByteView response);
    static nio::Bytes wholeAnswer(const Multi& multi, std::uint32_t sequence);

    std::unordered_map<std::uint32_t, Multi> multis_;
};

}  // namespace router
