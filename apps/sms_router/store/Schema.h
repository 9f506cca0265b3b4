// What is in the file: its tables, whose it is, and of which version.
//
// Thread: that of the database.
#pragma once

#include "sms_router/store/Database.h"

namespace router {

// In the file's header: "nSMR".
inline constexpr int storeApplication = 0x6E534D52;
inline constexpr int storeVersion = 4;

// Makes the tables in an empty file; looks whether a file that has some is ours, and brings one of
// an earlier version up to date. A file of anybody else is left as it was. Throws
// std::runtime_error: another program's database, or a version that is newer than this program.
void prepareSchema(Database& database);
// A change that changes nothing: whether the file can be written. In a transaction.
void touch(Database& database);

}  // namespace router
