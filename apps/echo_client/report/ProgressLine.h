// What is shown while a load runs where nothing can be rewritten in place: a line a second.
//
// Thread: one at a time. Lifetime: of the stream longer.
#pragma once

#include <iosfwd>
#include <string>

#include "echo_client/load/LoadObserver.h"

namespace load {

class ProgressLine : public LoadObserver {
  public:
    explicit ProgressLine(std::ostream& out) : out_(out) {}

    void observed(const Sample& sample) override;
    // Without program and newline.
    static std::string toString(const Sample& sample);

  private:
    std::ostream& out_;
};

}  // namespace load
