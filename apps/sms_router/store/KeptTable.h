// The receipts and messages that wait for their accounts, by the owner's number.
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

class KeptTable {
  public:
    KeptTable(Database& database, NameTable& accounts);

    // In ascending order of the numbers.
    std::vector<KeptRecord> load();
    // Behind those that are there.
    void loadAccount(const std::string& account, std::vector<KeptRecord>& records);
    // One that is there already is replaced.
    void add(const KeptRecord& record);
    void remove(std::uint64_t number);
    OldRows& oldRows() { return oldRows_; }

  private:
    void load(Statement& statement, std::vector<KeptRecord>& records);

    NameTable& accounts_;
    Statement all_;
    Statement ofAccount_;
    Statement insert_;
    Statement remove_;
    OldRows oldRows_;
};

}  // namespace router
