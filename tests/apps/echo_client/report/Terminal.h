// As much of a terminal as LiveScreen uses: what is on it after all that was written.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace load {

class Terminal {
  public:
    explicit Terminal(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows) {}

    void write(const std::string& text) {
        for (std::size_t at = 0; at < text.size();) at = step(text, at);
    }
    // As VTE does: wraps each line anew, and the cursor stays at its letter. What does not fit any
    // more leaves at the top.
    void resize(std::size_t columns, std::size_t rows) {
        columns_ = columns;
        rows_ = rows;
        const auto before = std::exchange(screen_, {});
        const std::size_t cursor = std::exchange(row_, 0);
        Cells line;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (i == cursor) row_ = screen_.size() + line.size() / columns;
            line.insert(line.end(), before[i].cells.begin(), before[i].cells.end());
            if (!before[i].isWrapped) wrap(std::exchange(line, {}));
        }
        while (screen_.size() > rows) {
            screen_.erase(screen_.begin());
            row_ -= std::min<std::size_t>(row_, 1);
        }
        column_ = std::min(column_, columns - 1);
    }
    // Without the empty ones at the end.
    std::vector<std::string> lines() const {
        std::vector<std::string> lines;
        for (const Row& row : screen_) {
            std::string line;
            for (const std::string& cell : row.cells) line += cell;
            line.erase(line.find_last_not_of(' ') + 1);
            lines.push_back(line);
        }
        while (!lines.empty() && lines.back().empty()) lines.pop_back();
        return lines;
    }
    bool isCursorHome() const { return row_ == 0 && column_ == 0; }
    std::size_t scrolled() const { return scrolled_; }

  private:
    using Cells = std::vector<std::string>;
    struct Row {
        Cells cells;
        bool isWrapped = false;  // the line goes on in the next row
    };

    std::size_t step(const std::string& text, std::size_t at) {
        if (text[at] == '\r') return column_ = 0, at + 1;
        if (text[at] == '\n') return feed(), at + 1;
        if (text[at] == '\x1b') return command(text, at);
        std::size_t end = at + 1;
        while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;
        put(text.substr(at, end - at));
        return end;
    }
    std::size_t command(const std::string& text, std::size_t at) {
        const std::size_t end = text.find_first_not_of("[;0123456789", at + 1);
        const std::string number = text.substr(at + 2, end - at - 2);
        if (text[end] == 'A') row_ -= std::min<std::size_t>(row_, std::stoul(number));
        if (text[end] == 'H') row_ = column_ = 0;
        if (text[end] == 'K') eraseRest();
        if (text[end] == 'J') {
            eraseRest();
            screen_.resize(row_ + 1);
        }
        return end + 1;
    }
    void eraseRest() {
        row().cells.resize(std::min(row().cells.size(), column_));
        row().isWrapped = false;
    }
    void feed() {
        if (++row_ < rows_) return;
        --row_;
        ++scrolled_;
        if (!screen_.empty()) screen_.erase(screen_.begin());
    }
    void put(const std::string& letter) {
        if (column_ == columns_) {
            row().isWrapped = true;
            column_ = 0;
            feed();
        }
        if (row().cells.size() <= column_) row().cells.resize(column_ + 1, " ");
        row().cells[column_++] = letter;
    }
    void wrap(const Cells& line) {
        for (std::size_t at = 0; at == 0 || at < line.size(); at += columns_) {
            const std::size_t end = std::min(at + columns_, line.size());
            screen_.push_back({{line.begin() + static_cast<std::ptrdiff_t>(at),
                                line.begin() + static_cast<std::ptrdiff_t>(end)},
                               end < line.size()});
        }
    }
    Row& row() {
        if (screen_.size() <= row_) screen_.resize(row_ + 1);
        return screen_[row_];
    }

    std::size_t columns_;
    std::size_t rows_;
    std::vector<Row> screen_;
    std::size_t row_ = 0;
    std::size_t column_ = 0;
    std::size_t scrolled_ = 0;
};

}  // namespace load
