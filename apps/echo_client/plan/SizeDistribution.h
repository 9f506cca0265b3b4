// How long the messages of a load are: one size, a range, or sizes with weights.
//
//     64            every message has 64 bytes
//     64-4096       each length in the range equally often
//     64:70,1500:30 70 of 100 have 64 bytes; a range may have a weight, too
//     64,1500       each equally often
//
// Thread: any; not changed once made. The random numbers are the caller's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nio/base/Result.h>

#include "echo_client/plan/Random.h"

namespace load {

class SizeDistribution {
  public:
    // Every message has so many bytes.
    explicit SizeDistribution(std::size_t bytes = 64);
    // Errors: std::errc::invalid_argument; context() is a sentence.
    static nio::Result<SizeDistribution> parse(const std::string& text);

    std::size_t smallest() const { return smallest_; }
    std::size_t largest() const { return largest_; }
    bool isFixed() const { return smallest_ == largest_; }
    double mean() const;
    std::size_t draw(Random& random) const { return isFixed() ? smallest_ : drawVaried(random); }
    // As it was written.
    const std::string& toString() const { return text_; }

  private:
    struct Part {
        std::size_t low;
        std::size_t high;
        double weight;
        double cumulated;
    };

    std::size_t drawVaried(Random& random) const;

    std::string text_;
    std::size_t smallest_;
    std::size_t largest_;
    std::vector<Part> parts_;
};

}  // namespace load
