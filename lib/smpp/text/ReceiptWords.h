// A receipt's text as words of characters, which have one octet or two. What UCS2 has beyond
// Latin-1 is read as DEL. For Receipt.cpp.
//
// Thread: any; a value. Lifetime: as long as the octets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nio/base/Bytes.h>

#include <smpp/text/Receipt.h>

namespace smpp {

class ReceiptWords {
  public:
    struct Word {
        std::size_t begin = 0;  // in characters
        std::size_t end = 0;
        bool empty() const { return begin == end; }
    };

    static char upper(char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    static bool isColon(char c) { return c == ':' || c == '='; }

    ReceiptWords(nio::ByteView octets, Receipt::Form form)
        : octets_(octets),
          width_(form == Receipt::Form::octets ? 1 : 2),
          low_(form == Receipt::Form::ucs2 ? 1 : 0) {}

    std::size_t width() const { return width_; }
    std::size_t size() const { return octets_.size() / width_; }
    char at(std::size_t index) const {
        if (width_ == 2 && octets_[index * 2 + 1 - low_] != nio::Byte{0}) return '\x7F';
        return std::to_integer<char>(octets_[index * width_ + low_]);
    }

    // The word behind `from`: up to the next blank.
    Word word(std::size_t from) const {
        while (from < size() && (isPrefix(at(from)) || isEscaped(from, blank)))
            from += isEscaped(from, blank) ? escapedSize : 1;
        return {from, endOfWord(from)};
    }
    // How many characters at the start of `word` match the keyword, which is in upper case; blanks
    // and quotes may precede its colon. 0: no match.
    std::size_t matched(const Word& word, std::string_view keyword) const {
        std::size_t next = word.begin;
        for (const char letter : keyword) {
            if (letter == ':') next = behindGap(next, word.end);
            const bool isEscape = letter == ':' && isEscaped(next, colon);
            if (next == word.end || !(isEscape || isSame(at(next), letter))) return 0;
            next += isEscape ? escapedSize : 1;
        }
        return next - word.begin;
    }
    template <std::size_t Count>
    std::size_t matched(const Word& word, const std::array<std::string_view, Count>& any) const {
        for (const std::string_view keyword : any)
            if (const std::size_t size = matched(word, keyword)) return size;
        return 0;
    }
    // The value behind the keyword at the start of `keyed`. A blank may follow the colon.
    Word value(const Word& keyed, std::size_t keywordSize) const {
        const Word here{keyed.begin + keywordSize, keyed.end};
        if (!here.empty()) return unquoted(here);
        std::size_t from = keyed.end;
        while (from < size() && (isBlank(at(from)) || isComma(at(from)))) ++from;
        const Word next{from, endOfWord(from)};
        return has(next, ':') || isKeyword(next.begin) ? here : unquoted(next);
    }
    // `first`, a value, with the words behind it that begin no field: ids may have blanks in them.
    Word withBlanks(const Word& first) const {
        Word whole = first;
        for (std::size_t next = behindBlanks(first.end);
             next != whole.end && next != size() && !isField(word(next).begin);
             next = behindBlanks(whole.end))
            whole.end = endOfWord(next);
        return whole.end == first.end ? first : unquoted(whole);
    }
    template <std::size_t Maximum>
    void copy(const Word& word, ShortText<Maximum>& out) const {
        out.clear();
        for (std::size_t i = word.begin; i < word.end; ++i) out.push(at(i));
    }

  private:
    // What a character may mean for the end of the word before it. Most mean nothing.
    enum class Kind : std::uint8_t { other, blank, escape, initial, separator };
    using Kinds = std::array<Kind, 256>;
    static constexpr Kinds kindsOfAll() {
        Kinds kinds{};
        const auto set = [&kinds](std::string_view characters, Kind kind) {
            for (const char c : characters) kinds[static_cast<unsigned char>(c)] = kind;
        };
        using namespace std::string_view_literals;
        set(" \t\r\n\0"sv, Kind::blank);
        set("%", Kind::escape);
        set("/:,;|&{<([", Kind::separator);
        set("IiSsDdEeTt", Kind::initial);  // of a keyword
        return kinds;
    }
    static Kind kindOf(char c) {
        static constexpr Kinds kinds = kindsOfAll();
        return kinds[static_cast<unsigned char>(c)];
    }
    static bool isBlank(char c) { return kindOf(c) == Kind::blank; }
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    static bool isLetter(char c) { return (upper(c) >= 'A' && upper(c) <= 'Z') || c == '_'; }
    static bool isComma(char c) { return c == ',' || c == ';' || c == '|' || c == '&'; }
    static bool isQuote(char c) { return c == '"' || c == '\''; }
    // What may stand directly before a keyword.
    static bool isPrefix(char c) {
        return isBlank(c) || isComma(c) || isQuote(c) || isBracket(c) || c == '/' || c == ':';
    }
    static bool isBracket(char c) { return c == '{' || c == '<' || c == '(' || c == '['; }
    static char closing(char bracket) {
        return bracket == '(' ? ')' : static_cast<char>(bracket + 2);
    }
    // As in a URL; `what` is in upper case.
    static constexpr std::string_view blank = "%20";
    static constexpr std::string_view colon = "%3A";
    static constexpr std::size_t escapedSize = 3;
    bool isEscaped(std::size_t from, std::string_view what) const {
        if (from + escapedSize > size() || at(from) != '%') return false;
        return at(from + 1) == what[1] && upper(at(from + 2)) == what[2];
    }
    static bool isSame(char c, char ofKeyword) {
        return upper(c) == ofKeyword || (isColon(c) && ofKeyword == ':');
    }

    std::size_t endOfWord(std::size_t from) const {
        const std::size_t begin = from;
        from = behindName(from);
        const auto ends = [this, begin](std::size_t at) {
            switch (kindOf(this->at(at))) {
                case Kind::other: return false;
                case Kind::blank: return true;
                case Kind::escape: return isEscaped(at, blank);
                case Kind::initial:
                case Kind::separator: return at > begin && separates(at);
            }
            return false;
        };
        while (from < size() && !ends(from)) ++from;
        return from;
    }
    std::size_t behindBlanks(std::size_t from) const {
        while (from < size() && isBlank(at(from))) ++from;
        return from;
    }
    std::size_t behindGap(std::size_t from, std::size_t end) const {
        while (from < end && (isBlank(at(from)) || isQuote(at(from)))) ++from;
        return from;
    }
    // The place behind a field's name and its colon, also of fields not read here; `from` if there
    // is none.
    std::size_t behindName(std::size_t from) const {
        std::size_t end = from;
        while (end < size() && isLetter(at(end))) ++end;
        if (end == from) return from;
        end = behindGap(end, size());
        if (isEscaped(end, colon)) return end + escapedSize;
        return end < size() && isColon(at(end)) ? end + 1 : from;
    }
    // Ids may have commas, slashes and colons in them.
    bool separates(std::size_t at) const {
        const char c = this->at(at);
        if (c == '/' || c == ':' || isBracket(c)) return isKeyword(at + 1);
        // Some leave out the blank.
        if (isLetter(c)) return isDigit(this->at(at - 1)) && isKeyword(at);
        if (!isComma(c)) return false;
        std::size_t next = at + 1;
        if (next == size() || isBlank(this->at(next)) || isComma(this->at(next))) return true;
        return isField(next);
    }
    bool isField(std::size_t from) const {
        while (from < size() && isQuote(at(from))) ++from;
        return isKeyword(from) || behindName(from) != from;
    }
    bool isKeyword(std::size_t from) const {
        return from < size() && kindOf(at(from)) == Kind::initial &&
               matched({from, size()}, keywords) > 0;
    }
    bool has(const Word& word, char c) const {
        for (std::size_t i = word.begin; i < word.end; ++i)
            if (at(i) == c) return true;
        return false;
    }
    // The word without quotes, and without a closing bracket that was opened before the field.
    Word unquoted(const Word& word) const {
        if (word.empty()) return word;
        if (!isQuote(at(word.begin))) return withoutClosing(word);
        std::size_t end = word.end;
        while (at(end - 1) == '}') --end;
        const bool isClosed = end > word.begin + 1 && at(end - 1) == at(word.begin);
        return isClosed ? Word{word.begin + 1, end - 1} : word;
    }

    Word withoutClosing(const Word& word) const {
        const char last = at(word.end - 1);
        if (last != '}' && last != '>' && last != ')' && last != ']') return word;
        Word inside = word;
        for (const char bracket : {'{', '<', '(', '['}) {
            if (inside.end - inside.begin > 1 && at(inside.end - 1) == closing(bracket) &&
                !has(inside, bracket))
                --inside.end;
        }
        return inside;
    }

    static constexpr std::array<std::string_view, 8> keywords{"ID:",   "SUB:",  "DLVRD:", "SUBMIT ",
                                                              "DONE ", "STAT:", "ERR:",   "TEXT:"};

    nio::ByteView octets_;
    std::size_t width_;
    std::size_t low_;  // where in a character its low octet is
};

}  // namespace smpp
