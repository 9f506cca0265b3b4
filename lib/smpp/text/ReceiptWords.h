// A receipt's text as words of characters, which have one octet or two. What UCS2 has beyond
// Latin-1 is read as DEL. For Receipt.cpp.
//
// Thread: any; a value. Lifetime: as long as the octets.
#pragma once

#include <algorithm>
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
    // Whether a text of octets may have a field in it.
    static bool mayDivide(char c) { return isColon(c) || c == '#' || c == '>'; }
    // Whether `name` is a word of a keyword, such as "done", in any case.
    static bool isOfKeyword(std::string_view name) {
        const auto has = [name](std::string_view keyword) {
            while (!keyword.empty()) {
                const std::string_view word = keyword.substr(0, keyword.find_first_of(" :"));
                if (std::equal(name.begin(), name.end(), word.begin(), word.end(),
                               [](char a, char b) { return upper(a) == b; }))
                    return true;
                keyword.remove_prefix(word.size() + 1);
            }
            return false;
        };
        return std::any_of(keywords.begin(), keywords.end(), has) ||
               std::any_of(otherNames.begin(), otherNames.end(), has);
    }

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
    // How many characters at the start of `word` match the keyword, which is in upper case; 0: no
    // match. Blanks and quotes may precede its colon. What divides its words, a blank in `keyword`,
    // may be another divider, or nothing.
    std::size_t matched(const Word& word, std::string_view keyword) const {
        std::size_t next = word.begin;
        if (word.empty() || upper(at(next)) != keyword.front()) return 0;
        for (const char letter : keyword) {
            if (letter == ' ') {
                next = behindDividers(next, word.end);
                continue;
            }
            if (letter == ':') next = behindGap(next, word.end);
            const bool isEscape = letter == ':' && isEscaped(next, colon);
            const bool isHere = next < word.end &&
                                (letter == ':' ? isColonOf(word, next) : upper(at(next)) == letter);
            if (!isEscape && !isHere) return 0;
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
    // The same of a date: up to the last word with a digit.
    Word dateWithBlanks(const Word& first) const {
        Word date = withBlanks(first);
        while (date.end > first.end && !isDigit(at(date.end - 1))) --date.end;
        return date.end < first.end ? first : date;
    }
    template <std::size_t Maximum>
    void copy(const Word& word, ShortText<Maximum>& out) const {
        out.clear();
        for (std::size_t i = word.begin; i < word.end; ++i) out.push(at(i));
    }

  private:
    // What a character may mean for the end of the word before it. Most mean nothing.
    enum class Kind : std::uint8_t { other, blank, escape, initial, separator, closing };
    using Kinds = std::array<Kind, 256>;
    static constexpr Kinds kindsOfAll() {
        Kinds kinds{};
        const auto set = [&kinds](std::string_view characters, Kind kind) {
            for (const char c : characters) kinds[static_cast<unsigned char>(c)] = kind;
        };
        using namespace std::string_view_literals;
        set(" \t\r\n\0"sv, Kind::blank);
        set("!#$&*+,-./:;<?@([{\\^`|~", Kind::separator);
        set("\"'>)]}", Kind::closing);
        set("%", Kind::escape);
        set("IiSsDdEeTtMm", Kind::initial);  // of a keyword
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
    static bool isPrefix(char c) { return isBlank(c) || isDivider(c); }
    static bool isDivider(char c) {
        return kindOf(c) == Kind::separator || kindOf(c) == Kind::closing;
    }
    static char closing(char bracket) {
        return bracket == '(' ? ')' : static_cast<char>(bracket + 2);
    }
    // As in a URL; `what` is in upper case.
    static constexpr std::string_view blank = "%20";
    static constexpr std::string_view colon = "%3A";
    static constexpr std::size_t escapedSize = 3;
    static constexpr std::size_t longestDivider = 4;
    bool isEscaped(std::size_t from, std::string_view what) const {
        if (from + escapedSize > size() || at(from) != '%') return false;
        return at(from + 1) == what[1] && upper(at(from + 2)) == what[2];
    }
    // Of XML, a start tag's end is one.
    bool isColonOf(const Word& word, std::size_t place) const {
        const char c = at(place);
        if (c == '>') return word.begin > 0 && at(word.begin - 1) == '<';
        return isColon(c) || c == '#';
    }

    std::size_t endOfWord(std::size_t from) const {
        const std::size_t begin = from;
        from = behindName(from);
        const auto ends = [this, begin](std::size_t at) {
            switch (kindOf(this->at(at))) {
                case Kind::other:
                case Kind::closing: return false;
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
    std::size_t behindDividers(std::size_t from, std::size_t end) const {
        for (; from < end; ++from) {
            if (isEscaped(from, blank))
                from += escapedSize - 1;
            else if (!isBlank(at(from)) && at(from) != '_' && at(from) != '-' && at(from) != '+')
                break;
        }
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
        if (end < size() && isColon(at(end))) return end + 1;
        return from + matched({from, size()}, dates);
    }
    // Ids may have commas, slashes and colons in them.
    bool separates(std::size_t at) const {
        const char c = this->at(at);
        // Some leave out the blank.
        if (isLetter(c)) return isDigit(this->at(at - 1)) && isKeyword(at);
        std::size_t next = at + 1;
        if (isComma(c)) {
            const bool ends = next == size() || isBlank(this->at(next)) || isComma(this->at(next));
            if (ends || isField(next)) return true;
        }
        if (c == '<' && next < size() && this->at(next) == '/') return true;  // of XML
        const std::size_t last = std::min(at + longestDivider, size());
        while (next < last && isDivider(this->at(next))) ++next;
        return isKeyword(next) || isOtherName(next);
    }
    bool isField(std::size_t from) const {
        while (from < size() && isQuote(at(from))) ++from;
        return isKeyword(from) || behindName(from) != from;
    }
    bool isKeyword(std::size_t from) const {
        return from < size() && kindOf(at(from)) == Kind::initial &&
               matched({from, size()}, keywords) > 0;
    }
    // Behind a digit this may be part of an id.
    bool isOtherName(std::size_t from) const {
        return from < size() && kindOf(at(from)) == Kind::initial &&
               matched({from, size()}, otherNames) > 0;
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

    static constexpr std::array<std::string_view, 2> dates{"SUBMIT DATE:", "DONE DATE:"};
    static constexpr std::array<std::string_view, 8> keywords{
        "ID:", "SUB:", "DLVRD:", "SUBMIT DATE:", "DONE DATE:", "STAT:", "ERR:", "TEXT:"};
    static constexpr std::array<std::string_view, 8> otherNames{
        "STATUS:",     "STATE:",  "ERROR:",  "ERR CODE:",
        "ERROR CODE:", "MSG ID:", "SMS ID:", "MESSAGE ID:"};

    nio::ByteView octets_;
    std::size_t width_;
    std::size_t low_;  // where in a character its low octet is
};

}  // namespace smpp
