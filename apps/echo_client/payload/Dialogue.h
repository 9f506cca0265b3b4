// The messages of another protocol than echo, and their answers: --send and --expect; and what a
// connection begins with: --first-send and --first-expect.
//
// Thread: any; a value.
#pragma once

#include <optional>
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
    std::optional<Template> firstMessage{};
    std::optional<Expectation> firstAnswer{};

    std::size_t largestMessage() const;
    const Turn& draw(Random& random) const;
};

}  // namespace load
