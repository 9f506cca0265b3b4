// Finds what somebody who wrote a name wrong may have meant.
//
// Thread: any.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace router {

// The nearest of `known`, at most two letters away and one in three; empty: none.
std::string nearest(std::string_view wrong, const std::vector<std::string>& known);
// "; did you mean 'window'?", or nothing.
std::string didYouMean(std::string_view wrong, const std::vector<std::string>& known);

template <class T>
std::vector<std::string> namesOf(const std::map<std::string, T, std::less<>>& map) {
    std::vector<std::string> names;
    for (const auto& entry : map) names.push_back(entry.first);
    return names;
}

// "one, two, three"
std::string listed(const std::vector<std::string>& names);

}  // namespace router
