// The messages that SMSCs have accepted, by our id.
//
// Thread: that of the database. All changes are in the transaction that is open.
#pragma once

#include <cstdint>
#include <vector>

#include "sms_router/store/NameTable.h"
#include "sms_router/store/OldRows.h"
#include "sms_router/store/Statement.h"
#include "sms_router/store/Store.h"

namespace router {

class IdTable {
  public:
    IdTable(Database& database, NameTable& accounts);

    // In ascending order of the ids (taken as signed numbers).
    std::vector<IdRecord> load();
    // Behind those that are there.
    void loadAccount(const std::string& account, std::vector<IdRecord>& records);
    void loadRange(std::uint64_t first, std::uint64_t last, std::vector<IdRecord>& records);
    // One that is there already is replaced.
    void add(const IdRecord& record);
    void remove(std::uint64_t id);
    OldRows& oldRows() { return oldRows_; }

  private:
    void load(Statement& statement, std::vector<IdRecord>& records);

    NameTable& accounts_;
    Statement count_;
    Statement all_;
    Statement ofAccount_;
    Statement ofRange_;
    Statement insert_;
    Statement remove_;
    OldRows oldRows_;
};

}  // namespace router
