// One end of an SMPP connection outside of the process: whole PDUs come in.
//
// Thread: the one of the run.
#pragma once

#include <optional>

#include "simulation/router/Wire.h"

namespace simulation {

class SmppWire : public Wire {
  public:
    using Wire::Wire;

    std::optional<nio::Bytes> next();
};

}  // namespace simulation
