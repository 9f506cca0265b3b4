// The messages of another protocol than echo, and their answers: --send and --expect.
//
// Thread: any; a value.
#pragma once

#include <vector>

#include "echo_client/payload/Expectation.h"

namespace load {

struct Dialogue {
    struct Turn {
        Template message;
        Expectation answer;
        double weight = 1;
    };
    std::vector<Turn> turns;  // not empty

    std::size_t largestMessage() const;
    const Turn& draw(Random& random) const;
};

}  // namespace load
