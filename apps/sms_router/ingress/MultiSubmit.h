// submit_multi: its destinations dealt out to connectors, and the answers of several connectors
// made one.
//
// Thread: that of the connection.
// Source: SMPP 3.4, 4.5.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <smpp/pdu/PduPatch.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/MessageId.h"
#include "sms_router/model/Rerouting.h"
#include "sms_router/model/SourceAddress.h"

namespace router {

// One dest_address.
struct Destination {
    bool isList = false;
    std::uint8_t ton = 0;
    std::uint8_t npi = 0;
    std::string_view address;  // or the name of the distribution list
};

// The bits of esm_class that mark a receipt or an intermediate notification.
constexpr std::uint8_t receiptBits = 0x24;
// Without them and without receipted_message_id, if it has any; false: refused.
bool clearReceiptMark(const smpp::Pdu& request, smpp::PduPatch& patch);

// What became of it on the way to a connector.
struct DealtDestination {
    Destination own;    // as the ESME named it
    nio::Bytes sent{};  // ton, npi and address as they were sent; empty: as its own
};

// Views into the PDU, which was scanned.
std::vector<Destination> destinationsOf(const smpp::Pdu& submitMulti);

// For the access log: their addresses, with commas between.
std::string namesOf(const std::vector<Destination>& destinations);
std::string namesOf(const std::vector<DealtDestination>& destinations);

// The destinations that take one route to one connector.
class DestinationGroup {
  public:
    // The route may be null: nothing is rewritten then. It must outlive the group.
    DestinationGroup(std::size_t connector, const RouteConfig* route, Rerouting rerouting = {})
        : connector_(connector), route_(route), rerouting_(std::move(rerouting)) {}

    std::size_t connector() const { return connector_; }
    const RouteConfig* route() const { return route_; }
    // That of its first destination.
    const Rerouting& rerouting() const { return rerouting_; }
    // False: its address becomes too long; it was not added.
    bool add(const Destination& destination);
    const std::vector<DealtDestination>& destinations() const { return destinations_; }
    // Some are sent otherwise than the ESME named them.
    bool isRewritten() const { return rewritten_; }
    // The request with these destinations instead of its own, rewritten, and this source. Nothing:
    // the source does not fit.
    std::optional<nio::Bytes> request(const smpp::Pdu& submitMulti,
                                      const SharedSource& source) const;

  private:
    std::size_t connector_;
    const RouteConfig* route_;
    Rerouting rerouting_;
    std::vector<DealtDestination> destinations_;
    nio::Bytes octets_;
    bool rewritten_ = false;
};

// Answers that are complete when all parts have come. Whom an SMSC names as unsuccessful is named
// as the ESME did.
class MultiSubmits {
  public:
    bool isUnderWay(std::uint32_t sequence) const { return multis_.contains(sequence); }
    // `parts`: the destinations of each, which are under way. Not while one of this number is. 0 as
    // `id`: of the only part; its answer is passed on as it is, but for the destinations.
    void begin(std::uint32_t sequence, MessageId id,
               const std::vector<std::vector<DealtDestination>>& parts);
    void addUnsuccess(std::uint32_t sequence, const Destination& destination, smpp::Status status);
    // The answer of one part, from 1. The whole answer when it was the last.
    std::optional<nio::Bytes> partAnswered(std::uint32_t sequence, std::uint32_t part,
                                           nio::ByteView response);

  private:
    // Octets: ton, npi and address.
    struct Named {
        nio::Bytes own;
        nio::Bytes sent;
    };
    using Part = std::vector<Named>;
    struct Multi {
        MessageId id = 0;
        std::size_t missing = 0;
        std::vector<Part> parts;
        bool anyAccepted = false;
        smpp::Status firstRefusal = smpp::Status::ok;
        std::size_t unsuccessful = 0;
        nio::Bytes unsuccess;
    };

    static void addRefused(Multi& multi, nio::ByteView destination, smpp::Status status);
    static nio::Bytes asNamed(const Part& part, nio::ByteView unsuccess);
    static nio::Bytes asNamedIn(const Part& part, nio::ByteView response);
    static void addAnswer(Multi& multi, std::uint32_t part, nio::ByteView response);
    static nio::Bytes wholeAnswer(const Multi& multi, std::uint32_t sequence);

    std::unordered_map<std::uint32_t, Multi> multis_;
};

}  // namespace router
