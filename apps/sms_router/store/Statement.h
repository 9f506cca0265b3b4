// A statement of SQL, prepared once and run many times.
//
//     insert.bind(1, number);
//     insert.bind(2, name);
//     insert.run();
//
// Parameters count from 1, columns from 0. Text and bytes that are bound are not copied: they must
// live until run() or forEach() returns. What a column shows is valid until the next row.
//
// Thread: that of its database.
// Errors: std::runtime_error, see Database. After one it can be run again.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <nio/base/Bytes.h>

#include "sms_router/store/Database.h"

struct sqlite3_stmt;

namespace router {

class Statement {
  public:
    Statement(Database& database, std::string_view sql);
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    void bind(int parameter, std::int64_t number);
    void bind(int parameter, nio::ByteView bytes);
    void bind(int parameter, std::string_view text) { bind(parameter, nio::asBytes(text)); }

    void run() {
        forEach([](const Statement&) {});
    }
    // Calls `row` with this statement for each row.
    template <class Row>
    void forEach(Row&& row) {
        const Running running(*this);
        while (step()) row(std::as_const(*this));
    }

    std::int64_t number(int column) const;
    bool isNull(int column) const;
    nio::ByteView bytes(int column) const;
    std::string_view text(int column) const { return nio::asText(bytes(column)); }

  private:
    // A statement that is not at its end keeps its transaction from ending.
    struct Running {
        explicit Running(Statement& run) : statement(run) {}
        ~Running() { statement.reset(); }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        Statement& statement;
    };

    bool step();
    void reset() noexcept;

    Database& database_;
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace router
