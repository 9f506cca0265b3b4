// The numbers that were given out, by kind: the next one is above all that any run had.
//
// Thread: that of the database.
#pragma once

#include <cstdint>
#include <string>

#include "sms_router/store/Statement.h"

namespace router {

class NumberTable {
  public:
    explicit NumberTable(Database& database);

    // The first of `count`, in the transaction that is open.
    std::uint64_t reserve(const std::string& kind, std::uint64_t count);

  private:
    Statement select_;
    Statement write_;
};

}  // namespace router
