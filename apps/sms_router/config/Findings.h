// What a reader of a configuration has found: its mistakes, what is allowed but odd, and which keys
// it looked for. What is said is one line each: a control character that is quoted from the file
// becomes '?'.
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/Printable.h"
#include "sms_router/config/ConfigReader.h"

namespace router {

class Findings {
  public:
    void mistake(int line, const std::string& what) {
        mistakes_.push_back({line, apps::printable(what)});
    }
    void warning(int line, const std::string& what) {
        const std::string where = line > 0 ? "line " + std::to_string(line) + ": " : "";
        warnings_.push_back(where + apps::printable(what));
    }
    // "account.*.window": a name that the file chooses is a star.
    void lookedFor(std::string key) { keys_.insert(std::move(key)); }
    // Where a table begins ("account.esme1"), for mistakes that are found later; else 0.
    void foundAt(const std::string& table, int line) { lines_.emplace(table, line); }
    int lineOf(const std::string& table) const {
        const auto found = lines_.find(table);
        return found == lines_.end() ? 0 : found->second;
    }

    bool hasMistakes() const { return !mistakes_.empty(); }
    // In the order of the lines.
    std::vector<ConfigMistake> mistakes() const {
        std::vector<ConfigMistake> sorted = mistakes_;
        std::ranges::stable_sort(sorted, {}, &ConfigMistake::line);
        return sorted;
    }
    const std::vector<std::string>& warnings() const { return warnings_; }
    const std::set<std::string>& keys() const { return keys_; }

  private:
    std::vector<ConfigMistake> mistakes_;
    std::vector<std::string> warnings_;
    std::set<std::string> keys_;
    std::map<std::string, int> lines_;
};

}  // namespace router
