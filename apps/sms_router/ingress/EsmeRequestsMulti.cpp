// EsmeRequests: submit_multi.
#include <map>

#include "sms_router/ingress/EsmeRequests.h"
#include "sms_router/model/Moment.h"

namespace router {

using smpp::Status;

namespace {

SourceAddress addressOf(const Destination& destination) {
    return {destination.ton, destination.npi, std::string(destination.address)};
}

}  // namespace

// Where the destinations of one request go.
struct EsmeRequests::Dealt {
    std::vector<DestinationGroup> groups;
    std::vector<std::pair<Destination, Status>> refused;
};

Status EsmeRequests::submitMulti(const smpp::Pdu& request) {
    // Its answers could not be told from those of the other one.
    if (multis_ != nullptr && multis_->isUnderWay(request.sequence())) return Status::sysErr;
    const Status mark = judgeReceiptMark(request);
    if (mark != Status::ok) return refuse(request, mark);
    const std::vector<Destination> destinations = destinationsOf(request);
    const auto messages = static_cast<unsigned>(destinations.size());
    if (!owner_.rate().allow(Moment::now(), messages)) {
        return refuse(request, Status::throttled);
    }
    Dealt dealt = deal(request, destinations);
    std::erase_if(dealt.groups, [](const auto& group) { return group.destinations().empty(); });
    if (dealt.groups.empty()) {
        return dealt.refused.empty() ? Status::invNumDests : dealt.refused.front().second;
    }
    MessageId shortId = 0;
    const Status named = nameForPeer(shortId);
    named == Status::ok ? sendParts(request, dealt, shortId) : refuseDealt(request, dealt, named);
    return named;
}

void EsmeRequests::refuseDealt(const smpp::Pdu& request, const Dealt& dealt, Status status) {
    for (const DestinationGroup& group : dealt.groups) {
        RouteDecision decision;
        decision.route = group.route();
        writeRefusal(recordOf(request, namesOf(group.destinations()), decision), status);
    }
}

EsmeRequests::Dealt EsmeRequests::deal(const smpp::Pdu& request,
                                       const std::vector<Destination>& destinations) {
    Dealt dealt;
    std::map<std::pair<std::size_t, const RouteConfig*>, std::size_t> groupOf;
    for (const Destination& destination : destinations) {
        RouteDecision decision;
        Status status = permits(request.text(smpp::Field::sourceAddress), destination);
        if (status == Status::ok) status = chooseConnector(request, destination, decision);
        if (status != Status::ok) {
            writeRefusal(recordOf(request, destination.address, decision), status);
            dealt.refused.emplace_back(destination, status);
            continue;
        }
        const std::pair way(*decision.connector, decision.route);
        const auto [group, isNew] = groupOf.emplace(way, dealt.groups.size());
        if (isNew) dealt.groups.emplace_back(way.first, way.second, decision.rerouting);
        if (dealt.groups[group->second].add(destination)) continue;
        writeRefusal(recordOf(request, destination.address, decision), Status::invDstAdr);
        dealt.refused.emplace_back(destination, Status::invDstAdr);
    }
    return dealt;
}

void EsmeRequests::sendParts(const smpp::Pdu& request, const Dealt& dealt, MessageId shortId) {
    const bool alone = dealt.groups.size() == 1 && dealt.refused.empty();
    const bool asItIs = alone && !dealt.groups.front().isRewritten();
    const bool needsLong = !alone && shortId == 0;
    const MessageId shown = needsLong ? shard_.ids().make() : shortId;
    if (!asItIs) beginParts(request, dealt, alone ? 0 : shown);
    std::uint32_t part = 0;
    for (const DestinationGroup& group : dealt.groups) {
        Submission submission = submissionOf(request, Moment::now());
        submission.origin.part = asItIs ? 0 : ++part;
        submission.shown = shown;
        submission.isPart = !alone;
        submission.messages = static_cast<unsigned>(group.destinations().size());
        submission.otherDestination = group.isRewritten();
        submission.rerouting = group.rerouting();
        submission.source = sourceSentBy(group.route(), request);
        submission.sender = senderOf(request, submission.source);
        const Destination& first = group.destinations().front().own;
        const bool isOne = group.destinations().size() == 1 && !first.isList;
        const bool isRewritten = submission.source != nullptr || (isOne && group.isRewritten());
        if (isRewritten && accountConfig().ownAddressesInReceipts) {
            submission.own = ownOf(request, isOne ? addressOf(first) : SourceAddress{});
        }
        RouteDecision decision;
        decision.route = group.route();
        submission.record = recordOf(request, namesOf(group.destinations()), decision);
        std::optional<nio::Bytes> pdu = group.request(request, submission.source);
        if (!pdu) {
            writeRefusal(std::move(submission.record), Status::invSrcAdr);
            submission.origin.refuse(Status::invSrcAdr);
            continue;
        }
        submission.pdu = std::move(*pdu);
        send(*shard_.topology().connectors[group.connector()], std::move(submission));
    }
}

void EsmeRequests::beginParts(const smpp::Pdu& request, const Dealt& dealt, MessageId shown) {
    if (multis_ == nullptr) multis_ = std::make_unique<MultiSubmits>();
    std::vector<std::vector<DealtDestination>> parts;
    for (const DestinationGroup& group : dealt.groups) parts.push_back(group.destinations());
    multis_->begin(request.sequence(), shown, parts);
    for (const auto& [destination, status] : dealt.refused) {
        multis_->addUnsuccess(request.sequence(), destination, status);
    }
}

}  // namespace router
