#include <nio/connection/WaterMarks.h>

namespace nio {

bool WaterMarks::update(std::size_t pendingBytes, std::size_t highMark, std::size_t lowMark,
                        bool memoryIsShort) {
    const bool above = isNowAbove(pendingBytes, highMark, lowMark, memoryIsShort);
    const bool crossed = above != above_;
    above_ = above;
    return crossed;
}

// A connection paused by its own mark resumes at its own low-water mark, not with the budget.
bool WaterMarks::isNowAbove(std::size_t pendingBytes, std::size_t highMark, std::size_t lowMark,
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

}  // namespace nio
