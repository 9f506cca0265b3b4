// Looks at the server's process when a load begins to connect, and at both edges of its measured
// time; a little inside of them, so that it is under load all the time in between.
//
// Thread: one at a time. Errors: a process that ends is one of which nothing is known.
#pragma once

#include <optional>

#include "echo_client/figures/ProcessUse.h"

namespace load {

class ServerWatch {
  public:
    // Absent: it watches nothing.
    explicit ServerWatch(std::optional<int> pid) : pid_(pid) {}

    bool isWatching() const { return pid_.has_value(); }
    // How far inside of so long a measured time it is to be looked at.
    static nio::Clock::duration margin(nio::Clock::duration measured);

    void connecting() { before_ = look(); }
    void measuringBegins() { from_ = look(); }
    // The first time counts.
    void measuringEnds();

    std::optional<ServerUse> use() const;

  private:
    std::optional<ProcessUse> look() const;

    const std::optional<int> pid_;
    std::optional<ProcessUse> before_;
    std::optional<ProcessUse> from_;
    std::optional<ProcessUse> to_;
};

}  // namespace load
