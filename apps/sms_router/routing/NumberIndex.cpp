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

std::optional<NumberIndex::Owner> NumberIndex::find(const AddressForms& address) const {
    for (std::size_t i = 0; i < address.usualForms(); ++i) {
        const std::string_view form = address.usualForm(i);
        if (const auto owner = findExact(form)) return owner;
        if (!form.starts_with('+')) continue;
        if (const auto owner = findExact(form.substr(1))) return owner;
    }
    for (const Owner& owner : patterns_)
        if (address.match(*owner.number, AddressForms::Choice::usual)) return owner;
    return std::nullopt;
}

std::optional<NumberIndex::Owner> NumberIndex::findExact(std::string_view address) const {
    const auto found = exact_.find(address);
    if (found == exact_.end()) return std::nullopt;
    return found->second;
}

}  // namespace router
