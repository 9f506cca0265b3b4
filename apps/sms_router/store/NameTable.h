// Names by small numbers that stay the same for ever, from 1: rows refer to an account or to a
// connector by these. All of them are in memory, too.
//
// Thread: that of the database.
// Limit: none of its own; there are as many as there ever were names in the configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sms_router/store/Statement.h"

namespace router {

class NameTable {
  public:
    // `table` has the columns number and name.
    NameTable(Database& database, const std::string& table);

    // A name that is new gets its number in the transaction that is open.
    std::int64_t numberOf(const std::string& name);
    // No value if the name is unknown.
    std::optional<std::int64_t> find(const std::string& name) const;
    // Empty if the number is unknown.
    std::string nameOf(std::int64_t number) const;

    // What became of the transaction.
    void committed() { added_.clear(); }
    void rolledBack();

  private:
    void remember(const std::string& name, std::int64_t number);

    Database& database_;
    Statement insert_;
    std::unordered_map<std::string, std::int64_t> numbers_;
    std::unordered_map<std::int64_t, std::string> names_;
    std::vector<std::string> added_;  // in the open transaction
};

}  // namespace router
