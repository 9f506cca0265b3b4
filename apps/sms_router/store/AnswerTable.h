// The answers to HTTP requests that are not to be carried out again, by account and key.
//
// Thread: that of the database. All changes are in the transaction that is open.
#pragma once

#include <optional>
#include <string>

#include "sms_router/store/NameTable.h"
#include "sms_router/store/OldRows.h"
#include "sms_router/store/Statement.h"
#include "sms_router/store/Store.h"

namespace router {

class AnswerTable {
  public:
    AnswerTable(Database& database, NameTable& accounts);

    // One that is there already is replaced.
    void add(const AnswerRecord& record);
    // None that is older than `since`.
    std::optional<AnswerRecord> find(const std::string& account, const std::string& key,
                                     std::int64_t since);
    OldRows& oldRows() { return oldRows_; }

  private:
    NameTable& accounts_;
    Statement insert_;
    Statement find_;
    OldRows oldRows_;
};

}  // namespace router
