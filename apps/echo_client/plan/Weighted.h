// Things to choose from, with weights, as they are written: a:70,b:30, or a,b for equal ones.
//
// Thread: any. Errors: std::errc::invalid_argument; context() is a sentence.
#pragma once

#include <string>
#include <vector>

#include <nio/base/Result.h>

namespace load {

struct Weighted {
    std::string what;
    double weight = 1;  // above 0
};

// At least one; a weight for each or for none.
nio::Result<std::vector<Weighted>> parseWeighted(const std::string& text);

}  // namespace load
