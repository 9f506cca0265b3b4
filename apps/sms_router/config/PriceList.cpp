#include "sms_router/config/PriceList.h"

namespace router {

namespace {

// 10 and more: no digit.
unsigned digitOf(char c) {
    return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
}

}  // namespace

bool PriceList::add(std::string_view prefix, double price) {
    std::size_t place = 0;
    for (const char c : prefix) {
        if (nodes_[place].next[digitOf(c)] == 0) {
            nodes_[place].next[digitOf(c)] = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        }
        place = nodes_[place].next[digitOf(c)];
    }
    if (nodes_[place].price) return false;
    nodes_[place].price = price;
    return true;
}

std::optional<PrefixPrice> PriceList::find(std::string_view number) const {
    if (number.starts_with('+')) number.remove_prefix(1);
    std::optional<PrefixPrice> longest;
    std::size_t place = 0;
    for (std::size_t length = 0;; ++length) {
        const std::optional<double>& price = nodes_[place].price;
        if (price) longest = {number.substr(0, length), *price};
        if (length == number.size() || digitOf(number[length]) > 9) return longest;
        place = nodes_[place].next[digitOf(number[length])];
        if (place == 0) return longest;
    }
}

}  // namespace router
