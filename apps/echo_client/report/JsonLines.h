// A load while it runs, for programs: one JSON object a line, one line a second, and one for what
// is left at the end. Times are in µs, of the answers in that time, warm-up too; null where there
// was none.
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
    void ended(const Sample& rest) override { observed(rest); }

  private:
    std::ostream& out_;
};

}  // namespace load
