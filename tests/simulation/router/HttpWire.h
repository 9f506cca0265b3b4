// One end of an HTTP connection outside of the process: whole requests or answers come in. The
// length of a body is what Content-Length says; without it there is none.
//
// Thread: the one of the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulation/router/Wire.h"

namespace simulation {

struct HttpText {
    // Of an answer; 0: it is none.
    int status() const;
    // Without the spaces around it; empty: there is none. The name as it was sent.
    std::string_view header(std::string_view name) const;

    std::string head;  // with the empty line
    std::string body;
};

class HttpWire : public Wire {
  public:
    using Wire::Wire;

    std::optional<HttpText> next();
    bool isInside() const { return !in_.empty(); }
};

}  // namespace simulation
