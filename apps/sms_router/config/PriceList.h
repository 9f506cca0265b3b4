// What a message costs at one connector: the price of the longest prefix of its number.
//
// Thread: any, once it is filled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace router {

struct PrefixPrice {
    std::string_view prefix;  // of the number that was asked for
    double price = 0;
};

class PriceList {
  public:
    // Digits; none: the price of all other numbers. False: the prefix has a price already.
    bool add(std::string_view prefix, double price);
    // A "+" in front of the number is not looked at.
    std::optional<PrefixPrice> find(std::string_view number) const;

  private:
    // Of the digits that lead here.
    struct Node {
        std::array<std::uint32_t, 10> next{};  // by the digit that follows; 0: none
        std::optional<double> price;
    };

    std::vector<Node> nodes_{1};
};

}  // namespace router
