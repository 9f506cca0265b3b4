#include "sms_router/config/Spelling.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace router {

namespace {

using Row = std::vector<std::size_t>;

// Letters to insert, remove or replace, and neighbours to swap (Damerau and Levenshtein), a row of
// the table at a time.
std::size_t distance(std::string_view a, std::string_view b) {
    Row before;
    Row last;
    Row row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, row[j - 1] + 1, last[j] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view wrong, const std::vector<std::string>& known) {
    constexpr std::size_t longest = 64;
    if (wrong.size() > longest) return {};
    std::size_t best = std::min<std::size_t>(2, (wrong.size() + 2) / 3) + 1;
    std::string found;
    for (const std::string& name : known) {
        const std::size_t away = distance(wrong, name);
        if (away >= best) continue;
        best = away;
        found = name;
    }
    return found;
}

std::string didYouMean(std::string_view wrong, const std::vector<std::string>& known) {
    const std::string found = nearest(wrong, known);
    return found.empty() ? "" : "; did you mean '" + found + "'?";
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace router
