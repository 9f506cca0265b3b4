#include "sms_router/routing/NumberIndex.h"

#include <algorithm>
#include <functional>

namespace router {

NumberIndex::NumberIndex(const RouterConfig& config) {
    for (std::size_t account = 0; account < config.accounts.size(); ++account) {
        for (const AddressPattern& number : config.accounts[account].numbers) {
            if (number.isExact())
                exact_.emplace(number.text(), Owner{account, &number});
            else
                patterns_.push_back({account, &number});
        }
    }
    const auto length = [](const Owner& owner) { return owner.number->text().size(); };
    std::ranges::stable_sort(patterns_, std::ranges::greater(), length);
}

std::optional<NumberIndex::Owner> NumberIndex::find(std::string_view address) const {
    if (const auto owner = findExact(address)) return owner;
    if (address.starts_with('+'))
        if (const auto owner = findExact(address.substr(1))) return owner;
    for (const Owner& owner : patterns_)
        if (owner.number->matches(address)) return owner;
    return std::nullopt;
}

std::optional<NumberIndex::Owner> NumberIndex::findExact(std::string_view address) const {
    const auto found = exact_.find(address);
    if (found == exact_.end()) return std::nullopt;
    return found->second;
}

}  // namespace router
