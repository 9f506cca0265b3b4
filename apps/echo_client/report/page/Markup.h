// The words of an HTML page: text that cannot break out of its place, elements, tables, and
// numbers as a reader wants them. No number that is shown is infinite or not a number.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace load::page {

// For element content and for attribute values in double quotes. Control characters, which HTML
// forbids, become U+FFFD.
std::string escape(std::string_view text);
// <tag>content</tag>; `tag` may have attributes behind its name, `content` is markup already.
std::string element(const std::string& tag, const std::string& content);

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);
// Two decimals below 100, else whole and grouped: "12.5", "12,345".
std::string rateText(double perSecond);
// "850 ns", "31.2 µs"; "> 60 s" for an infinite one.
std::string timeText(double nanoseconds);
// As short as it goes, for ticks: "2.5k", "10M"; "10 µs", "2 ms".
std::string tickNumber(double number);
std::string tickTime(double nanoseconds);
// "12.5 %", for 0.125.
std::string percentText(double fraction, int digits);

// A table that a narrow screen can scroll by itself. All text is escaped here.
class Table {
  public:
    // `heads` name the columns, where they need a name; the first cell of a row names the row.
    Table(std::string caption, std::vector<std::string> heads)
        : caption_(std::move(caption)), heads_(std::move(heads)) {}

    // A cell that begins with ✓ or ✗ gets the colour of that.
    Table& row(const std::vector<std::string>& cells, const std::string& style = "");
    bool isEmpty() const { return rows_.empty(); }
    std::string toString() const;

  private:
    std::string caption_;
    std::vector<std::string> heads_;
    std::string rows_;
};

}  // namespace load::page
