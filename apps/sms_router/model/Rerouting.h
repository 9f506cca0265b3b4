// What chooses another connector of its group for a message that waits and was not sent.
//
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <string>

namespace router {

struct Rerouting {
    std::uint64_t group = 0;        // a hash of its name; 0: there is no other connector
    std::uint64_t longMessage = 0;  // of a part: a hash of what its parts have in common; 0: none
    std::string number{};  // that has the price, where the group is the cheapest; else empty
};

}  // namespace router
