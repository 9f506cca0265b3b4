// The file and all that is in it.
//
// Thread: one at a time.
// Errors: std::runtime_error, see Database and Schema.
#pragma once

#include <string>

#include "sms_router/store/Database.h"
#include "sms_router/store/IdTable.h"
#include "sms_router/store/KeptTable.h"
#include "sms_router/store/NameTable.h"
#include "sms_router/store/NumberTable.h"
#include "sms_router/store/Schema.h"

namespace router {

class StoreTables {
  public:
    explicit StoreTables(const std::string& path) : database(path) {}

    void begin() { database.begin(); }
    // Throws when it cannot be committed: then it is still to be rolled back.
    void commit() {
        database.commit();
        connectors.committed();
        accounts.committed();
    }
    void rollback() {
        database.rollback();
        connectors.rolledBack();
        accounts.rolledBack();
    }

    Database database;

  private:
    // The tables are there before the statements about them.
    struct Prepared {
        explicit Prepared(Database& database) { prepareSchema(database); }
    } prepared_{database};

  public:
    NameTable connectors{database, "connectors"};
    NameTable accounts{database, "accounts"};
    NumberTable numbers{database};
    IdTable ids{database, accounts};
    KeptTable kept{database, accounts};
};

}  // namespace router
