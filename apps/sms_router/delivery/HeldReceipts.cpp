#include "sms_router/delivery/HeldReceipts.h"

#include <algorithm>

#include <smpp/text/MessageIdKey.h>

namespace router {

namespace {

// All ids of an answer that may be meant.
std::vector<std::string> keysOf(const HeldReceipt& receipt) {
    std::vector<std::string> keys{smpp::exactKey(receipt.id)};
    for (const std::string& key : smpp::alternativeKeys(receipt.id)) keys.push_back(key);
    if (receipt.longerId.empty()) return keys;
    std::string longer = smpp::exactKey(receipt.longerId);
    if (std::find(keys.begin(), keys.end(), longer) == keys.end()) keys.push_back(longer);
    return keys;
}

}  // namespace

std::optional<HeldReceipt> HeldReceipts::hold(HeldReceipt receipt) {
    if (receipt.place == 0) receipt.place = ++last_;
    const Place place = receipt.place;
    for (std::string& key : keysOf(receipt)) byKey_.emplace(std::move(key), place);
    held_.emplace(place, std::move(receipt));
    if (held_.size() <= maximum_) return std::nullopt;
    return take(held_.begin());
}

HeldReceipt HeldReceipts::take(std::map<Place, HeldReceipt>::iterator held) {
    const Place place = held->first;
    for (const std::string& key : keysOf(held->second)) {
        auto [first, last] = byKey_.equal_range(key);
        while (first != last) first = first->second == place ? byKey_.erase(first) : ++first;
    }
    HeldReceipt taken = std::move(held->second);
    held_.erase(held);
    return taken;
}

std::vector<HeldReceipt> HeldReceipts::release(const std::string& smscId) {
    if (held_.empty()) return {};
    std::vector<Place> places;
    const auto [first, last] = byKey_.equal_range(smpp::exactKey(smscId));
    for (auto named = first; named != last; ++named) places.push_back(named->second);
    std::sort(places.begin(), places.end());
    std::vector<HeldReceipt> released;
    for (const Place place : places) released.push_back(take(held_.find(place)));
    return released;
}

std::vector<HeldReceipt> HeldReceipts::due(nio::TimePoint now, nio::TimePoint oldest) {
    std::vector<HeldReceipt> due;
    for (auto next = held_.begin(); next != held_.end();) {
        const auto held = next++;
        const HeldReceipt& receipt = held->second;
        if (receipt.next <= now || receipt.arrived < oldest) due.push_back(take(held));
    }
    return due;
}

}  // namespace router
