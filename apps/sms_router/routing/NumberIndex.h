// Whose number an address is. Numbers given in full are found by a hash, since there may be one for
// each of thousands of accounts.
//
// Thread: any, once made.
// Lifetime: as long as the configuration that it was made of.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/routing/AddressForms.h"

namespace router {

class NumberIndex {
  public:
    explicit NumberIndex(const RouterConfig& config);

    struct Owner {
        std::size_t account = 0;
        const AddressPattern* number = nullptr;
    };
    // However the address is spelled. A number given in full goes before a pattern, a longer
    // pattern (as it is written) before a shorter one; of equals the first account's.
    std::optional<Owner> find(const AddressForms& address) const;

  private:
    std::optional<Owner> findExact(std::string_view address) const;

    std::unordered_map<std::string_view, Owner> exact_;
    std::vector<Owner> patterns_;
};

}  // namespace router
