#include "sms_router/model/SourceAddress.h"

namespace router {

using smpp::Field;

std::string SourceAddress::octets() const {
    return std::string{static_cast<char>(ton), static_cast<char>(npi)} + address;
}

std::string OwnAddresses::octets() const {
    return source.octets() + '\0' + destination.octets();
}

SharedOwn ownFrom(std::string_view octets) {
    // TON and NPI may be 0.
    const std::size_t end = octets.size() < 2 ? octets.npos : octets.find('\0', 2);
    if (end == octets.npos) return nullptr;
    const SharedSource source = sourceFrom(octets.substr(0, end));
    const SharedSource destination = sourceFrom(octets.substr(end + 1));
    if (destination == nullptr) return nullptr;
    return std::make_shared<const OwnAddresses>(OwnAddresses{*source, *destination});
}

SharedOwn ownOf(const smpp::Pdu& request, SourceAddress destination) {
    OwnAddresses own;
    own.source = {request.number(Field::sourceTon), request.number(Field::sourceNpi),
                  std::string(request.text(Field::sourceAddress))};
    own.destination = std::move(destination);
    return std::make_shared<const OwnAddresses>(std::move(own));
}

SharedSource sourceFrom(std::string_view octets) {
    if (octets.size() < 2) return nullptr;
    SourceAddress source;
    source.ton = static_cast<std::uint8_t>(octets[0]);
    source.npi = static_cast<std::uint8_t>(octets[1]);
    source.address = octets.substr(2);
    return std::make_shared<const SourceAddress>(std::move(source));
}

std::optional<std::string> rewritten(std::string_view address, const AddressRewrite& rewrite) {
    const bool leavesPrefix =
        rewrite.stripPrefix == rewrite.addPrefix || !address.starts_with(rewrite.stripPrefix);
    if (leavesPrefix && rewrite.replaceBy.empty()) return std::nullopt;
    std::string result = rewrite.replaceBy;
    if (result.empty()) {
        result = rewrite.addPrefix;
        result += address.substr(rewrite.stripPrefix.size());
    }
    if (result == address) return std::nullopt;
    return result;
}

SharedSource sourceSentBy(const RouteConfig* route, const smpp::Pdu& request) {
    if (route == nullptr) return nullptr;
    const AddressRewrite& from = route->rewriteSource;
    const std::string_view own = request.text(Field::sourceAddress);
    const std::optional<std::string> other = rewritten(own, from);
    if (!other && !from.ton && !from.npi) return nullptr;
    return std::make_shared<const SourceAddress>(SourceAddress{
        from.ton.value_or(request.number(Field::sourceTon)),
        from.npi.value_or(request.number(Field::sourceNpi)), other.value_or(std::string(own))});
}

AddressMark senderOf(const smpp::Pdu& request, const SharedSource& source) {
    return AddressMark::of(source == nullptr ? request.text(Field::sourceAddress)
                                             : std::string_view(source->address));
}

bool setSource(smpp::PduPatch& patch, const SharedSource& source) {
    return source == nullptr || (patch.number(Field::sourceTon, source->ton) &&
                                 patch.number(Field::sourceNpi, source->npi) &&
                                 patch.text(Field::sourceAddress, source->address));
}

}  // namespace router
