#include "sms_router/store/Statement.h"

#include <sqlite3.h>

namespace router {

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
    const int made =
        sqlite3_prepare_v3(database_.handle(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
    if (made != SQLITE_OK) database_.fail();
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

void Statement::bind(int parameter, std::int64_t number) {
    if (sqlite3_bind_int64(handle_, parameter, number) != SQLITE_OK) database_.fail();
}

void Statement::bind(int parameter, nio::ByteView bytes) {
    // Where there are no bytes there may be no address; SQLite would take that for NULL.
    const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
    const int bound = sqlite3_bind_blob64(handle_, parameter, data, bytes.size(), SQLITE_STATIC);
    if (bound != SQLITE_OK) database_.fail();
}

bool Statement::step() {
    const int stepped = sqlite3_step(handle_);
    if (stepped == SQLITE_ROW) return true;
    if (stepped != SQLITE_DONE) database_.fail();
    return false;
}

void Statement::reset() noexcept {
    sqlite3_reset(handle_);
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(handle_, column);
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

nio::ByteView Statement::bytes(int column) const {
    const void* data = sqlite3_column_blob(handle_, column);
    const int size = sqlite3_column_bytes(handle_, column);
    return {static_cast<const nio::Byte*>(data), static_cast<std::size_t>(size)};
}

}  // namespace router
