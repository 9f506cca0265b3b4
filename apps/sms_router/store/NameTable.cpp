#include "sms_router/store/NameTable.h"

namespace router {

NameTable::NameTable(Database& database, const std::string& table)
    : database_(database), insert_(database, "INSERT INTO " + table + " (name) VALUES (?1)") {
    Statement all(database, "SELECT number, name FROM " + table);
    all.forEach([&](const Statement& row) { remember(std::string(row.text(1)), row.number(0)); });
}

std::int64_t NameTable::numberOf(const std::string& name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    insert_.bind(1, name);
    insert_.run();
    added_.push_back(name);
    remember(name, database_.lastKey());
    return database_.lastKey();
}

std::optional<std::int64_t> NameTable::find(const std::string& name) const {
    const auto known = numbers_.find(name);
    if (known == numbers_.end()) return std::nullopt;
    return known->second;
}

std::string NameTable::nameOf(std::int64_t number) const {
    const auto found = names_.find(number);
    return found == names_.end() ? std::string() : found->second;
}

void NameTable::rolledBack() {
    for (const std::string& name : added_) {
        const auto undone = numbers_.find(name);
        if (undone == numbers_.end()) continue;
        names_.erase(undone->second);
        numbers_.erase(undone);
    }
    added_.clear();
}

void NameTable::remember(const std::string& name, std::int64_t number) {
    numbers_.emplace(name, number);
    names_.emplace(number, name);
}

}  // namespace router
