// The messages that were sent by HTTP, by the id that the application knows.
//
// Thread: that of the database. All changes are in the transaction that is open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sms_router/store/NameTable.h"
#include "sms_router/store/OldRows.h"
#include "sms_router/store/Statement.h"
#include "sms_router/store/Store.h"

namespace router {

class SentTable {
  public:
    SentTable(Database& database, NameTable& accounts);

    // With the events that came before it.
    void add(const SentRecord& record);
    // `time`: of a message that is not there yet.
    void addEvent(std::uint64_t id, const std::string& line, std::int64_t time);
    // Without an account: there are only events yet.
    std::optional<SentRecord> find(std::uint64_t id);
    OldRows& oldRows() { return oldRows_; }

  private:
    NameTable& accounts_;
    Statement insert_;
    Statement append_;
    Statement find_;
    OldRows oldRows_;
};

}  // namespace router
