// Whether a connection's pending output is above its high-water mark, or has not fallen to the
// low-water mark since. While memory is short any pending output counts as above.
//
// Thread: its connection's.
#pragma once

#include <cstddef>

namespace nio {

class WaterMarks {
  public:
    // Returns whether a mark has been crossed.
    bool update(std::size_t pendingBytes, std::size_t highMark, std::size_t lowMark,
                bool memoryIsShort);
    bool isAbove() const { return above_; }
    // Above only because memory is short.
    bool isByBudget() const { return byBudget_; }

  private:
    bool isNowAbove(std::size_t pendingBytes, std::size_t highMark, std::size_t lowMark,
                    bool memoryIsShort);

    bool above_ : 1 = false;
    bool byBudget_ : 1 = false;
};

}  // namespace nio
