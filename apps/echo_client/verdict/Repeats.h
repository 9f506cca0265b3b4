// What several runs of the same load say together: the median and how far it can be trusted.
//
// The interval is the k-th smallest and the k-th largest value, for the greatest k for which they
// cover the true median with at least 95 % (binomial, no assumption about the distribution); fewer
// than six runs cannot reach 95 %: then it is the smallest and the largest, with the confidence
// that they give.
//
// Thread: any; a value.
#pragma once

#include <cstddef>
#include <vector>

namespace load {

struct MedianEstimate {
    double median = 0;
    double low = 0;
    double high = 0;
    double confidence = 0;  // 0 to 1

    // Of 1 to 1,000 values.
    static MedianEstimate of(std::vector<double> values);
};

}  // namespace load
