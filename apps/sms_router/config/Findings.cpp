#include "sms_router/config/Findings.h"

#include <algorithm>

#include "common/Printable.h"

namespace router {

void Findings::mistake(int line, const std::string& what) {
    mistakes_.push_back({line, apps::printable(what)});
}

void Findings::warning(int line, const std::string& what) {
    const std::string where = line > 0 ? "line " + std::to_string(line) + ": " : "";
    warnings_.push_back(where + apps::printable(what));
}

int Findings::lineOf(const std::string& table) const {
    const auto found = lines_.find(table);
    return found == lines_.end() ? 0 : found->second;
}

std::vector<ConfigMistake> Findings::mistakes() const {
    std::vector<ConfigMistake> sorted = mistakes_;
    std::ranges::stable_sort(sorted, {}, &ConfigMistake::line);
    return sorted;
}

}  // namespace router
