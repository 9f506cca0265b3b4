// A load while it runs, for programs: one JSON object a line, one line a second. Times are in µs,
// of the answers in that second, warm-up too; null where there was none.
//
// Thread: one at a time. Lifetime: of the stream longer. A stream that cannot be written shows it
// itself.
#pragma once

#include <iosfwd>

#include "echo_client/load/LoadObserver.h"

namespace load {

class JsonLines : public LoadObserver {
  public:
    explicit JsonLines(std::ostream& out) : out_(out) {}

    void observed(const Sample& sample) override;

  private:
    std::ostream& out_;
};

}  // namespace load
