// Whether a connection's pending output is above its high-water mark, or has not fallen to the
// low-water mark since. While memory is short any pending output counts as above.
//
// Thread: its connection's.
#pragma once

#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio {

class WaterMarks {
  public:
    // Returns whether a mark has been crossed.
    bool update(std::size_t pendingBytes, std::size_t highMark, std::size_t lowMark,
                bool memoryIsShort) {
        const bool above = isNowAbove(pendingBytes, highMark, lowMark, memoryIsShort);
        const bool crossed = above != above_;
        above_ = above;
        return crossed;
    }
    bool isAbove() const { return above_; }
    // Above only because memory is short.
    bool isByBudget() const { return byBudget_; }

  private:
    // A connection paused by its own mark resumes at its own low-water mark, not with the budget.
    bool isNowAbove(std::size_t pendingBytes, std::size_t highMark, std::size_t lowMark,
                    bool memoryIsShort) {
        if (pendingBytes > highMark) {
            byBudget_ = false;
            return true;
        }
        if (pendingBytes > 0 && memoryIsShort) {
            if (!above_) byBudget_ = true;
            return true;
        }
        if (byBudget_ || pendingBytes <= lowMark) {
            byBudget_ = false;
            return false;
        }
        return above_;
    }

    bool above_ : 1 = false;
    bool byBudget_ : 1 = false;
};

}  // namespace nio
