// A packed corpus: NAME.corpus has one input per line, its name, a colon and its content. In the
// content a byte that is no printable ASCII character, and '%', is %XX. fuzz.py writes such files.
//
// Thread: any.
// Errors: a Mistake names the line that is malformed.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace fuzz {

struct Input {
    std::string name;
    std::string bytes;
};

// `path` goes before the names of the inputs, and into errors.
std::vector<Input> readCorpus(std::istream& file, const std::string& path);

}  // namespace fuzz
