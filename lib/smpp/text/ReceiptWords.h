// A receipt's text as words, and the keywords of its fields.
//
// Thread: any; a value. Lifetime: as long as the text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <smpp/text/ShortText.h>

namespace smpp {

class ReceiptWords {
  public:
    enum class Name : std::uint8_t {
        none,
        id,
        sub,
        dlvrd,
        submitDate,
        doneDate,
        state,
        error,
        text
    };
    struct Keyword {
        Name name = Name::none;
        bool isOfAppendixB = false;  // its spelling; others are words that messages use, too
        std::size_t size = 0;        // in characters, with the colon
    };
    struct Word {
        std::size_t begin = 0;  // in characters
        std::size_t end = 0;
        Keyword keyword{};  // that it begins with
        bool empty() const { return begin == end; }
    };

    static constexpr std::size_t letters = 26;
    static char upper(char c) {
        return static_cast<unsigned char>(c - 'a') < letters ? static_cast<char>(c - 'a' + 'A') : c;
    }
    static bool isColon(char c) { return c == ':' || c == '='; }
    // Whether a text of octets may have a field in it.
    static bool mayDivide(char c) { return isColon(c) || c == '#' || c == '>'; }
    // Whether `name` is a word of a keyword, such as "done", in any case.
    static bool isOfKeyword(std::string_view name) {
        const auto has = [name](const Spelling& spelling) {
            return isSame(name, spelling.first) || isSame(name, spelling.second);
        };
        return !name.empty() && std::any_of(spellings.begin(), spellings.end(), has);
    }

    // What follows a keyword: a colon, or else a blank.
    enum class Colon : std::uint8_t { needed, optional };

    explicit ReceiptWords(std::string_view text, Colon need = Colon::needed)
        : text_(text), colon_(need) {}

    // The word behind `from`: up to the next blank.
    Word word(std::size_t from) const {
        from = behindPrefixes(from);
        const Keyword found = keyword(from);
        return {from, endOfWord(from, found), found};
    }
    // The keyword that begins there. Blanks and quotes may precede its colon.
    Keyword keyword(std::size_t from) const {
        if (from + 1 >= size() || kindOf(text_[from]) != Kind::initial) return {};
        const char initial = upper(text_[from]);
        if (!begins(initial, text_[from + 1])) return {};
        for (std::size_t i = firstWith(initial);
             i < spellings.size() && spellings[i].first.front() == initial; ++i) {
            const Spelling& spelling = spellings[i];
            if (const std::size_t size = matched(from, spelling))
                return {spelling.name, spelling.isOfAppendixB, size};
        }
        return {};
    }
    // The value behind the keyword. A blank may follow the colon.
    Word value(const Word& keyed) const {
        const Word here{keyed.begin + keyed.keyword.size, keyed.end};
        if (!here.empty()) return unquoted(here);
        std::size_t from = keyed.end;
        while (from < size() && (isBlank(text_[from]) || isComma(text_[from]))) ++from;
        const Word next{from, endOfWord(from)};
        return has(next, ':') || isOfAppendixB(next.begin) ? here : unquoted(next);
    }
    // `first`, a value, with the words behind it that begin no field: ids may have blanks in them.
    Word withBlanks(const Word& first) const {
        Word whole = first;
        std::size_t looked = 0;  // there begins no field, and before it only what may precede one
        for (std::size_t next = behindBlanks(first.end); next != whole.end && next != size();
             next = behindBlanks(whole.end)) {
            if (looked <= next) {
                looked = behindPrefixes(next);
                if (isField(looked)) break;
            }
            whole.end = endOfWord(next);
        }
        return whole.end == first.end ? first : unquoted(whole);
    }
    // The same of a date: up to the last word with a digit.
    Word dateWithBlanks(const Word& first) const {
        Word date = withBlanks(first);
        while (date.end > first.end && !isDigit(text_[date.end - 1])) --date.end;
        return date.end < first.end ? first : date;
    }
    template <std::size_t Maximum>
    void copy(const Word& word, ShortText<Maximum>& out) const {
        out.assign(text_.substr(word.begin, word.end - word.begin));
    }

  private:
    struct Spelling {
        std::string_view first;  // words in upper case
        std::string_view second;
        Name name;
        bool isOfAppendixB;
    };
    // In the order of their initials.
    static constexpr std::array<Spelling, 16> spellings{{{"DLVRD", "", Name::dlvrd, true},
                                                         {"DONE", "DATE", Name::doneDate, true},
                                                         {"ERR", "", Name::error, true},
                                                         {"ERROR", "", Name::error, false},
                                                         {"ERR", "CODE", Name::error, false},
                                                         {"ERROR", "CODE", Name::error, false},
                                                         {"ID", "", Name::id, true},
                                                         {"MSG", "ID", Name::id, false},
                                                         {"MESSAGE", "ID", Name::id, false},
                                                         {"STAT", "", Name::state, true},
                                                         {"SUB", "", Name::sub, true},
                                                         {"SUBMIT", "DATE", Name::submitDate, true},
                                                         {"STATUS", "", Name::state, false},
                                                         {"STATE", "", Name::state, false},
                                                         {"SMS", "ID", Name::id, false},
                                                         {"TEXT", "", Name::text, true}}};
    static constexpr std::array<std::uint8_t, letters> firstOfAll() {
        std::array<std::uint8_t, letters> first{};
        for (std::size_t i = spellings.size(); i > 0; --i)
            first[static_cast<std::size_t>(spellings[i - 1].first.front() - 'A')] =
                static_cast<std::uint8_t>(i - 1);
        return first;
    }
    // In `spellings`.
    static std::size_t firstWith(char initial) {
        static constexpr std::array<std::uint8_t, letters> first = firstOfAll();
        return first[static_cast<std::size_t>(initial - 'A')];
    }
    // Whether a keyword begins with these two.
    static bool begins(char initial, char second) {
        // Of each initial, a bit for each letter that may follow.
        static constexpr auto seconds = [] {
            std::array<std::uint32_t, letters> bits{};
            for (const Spelling& each : spellings)
                bits[static_cast<std::size_t>(each.first[0] - 'A')] |= 1U << (each.first[1] - 'A');
            return bits;
        }();
        const auto place = static_cast<std::size_t>((second & ~0x20) - 'A');
        return place < letters && (seconds[static_cast<std::size_t>(initial - 'A')] >> place & 1);
    }

    // What a character may mean for the end of the word before it. Most mean nothing.
    enum class Kind : std::uint8_t { other, closing, blank, escape, initial, separator };
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
    static bool isLetter(char c) {
        return static_cast<unsigned char>((c | 0x20) - 'a') < letters || c == '_';
    }
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
    std::size_t size() const { return text_.size(); }
    // `name` is in upper case.
    static bool isSame(std::string_view word, std::string_view name) {
        return word.size() == name.size() && ReceiptWords(word).isAt(0, name);
    }
    bool isAt(std::size_t from, std::string_view name) const {
        if (size() - from < name.size()) return false;
        for (std::size_t i = 0; i < name.size(); ++i)
            if ((text_[from + i] & ~0x20) != name[i]) return false;
        return true;
    }
    // How many characters from there are such a keyword and its colon; 0: none. What divides its
    // words may be any divider, or nothing.
    std::size_t matched(std::size_t from, const Spelling& spelling) const {
        if (!isAt(from, spelling.first)) return 0;
        std::size_t next = from + spelling.first.size();
        if (!spelling.second.empty()) {
            next = behindDividers(next);
            if (!isAt(next, spelling.second)) return 0;
            next += spelling.second.size();
        }
        const std::size_t name = next - from;
        next = behindGap(next);
        const std::size_t colonSize = colonOf(from, next);
        if (colonSize > 0) return behindColons(next + colonSize) - from;
        const bool isEnough = colon_ == Colon::optional && next - from > name;
        return isEnough ? next - from : 0;
    }
    bool isEscaped(std::size_t from, std::string_view what) const {
        if (from >= size() || text_[from] != '%' || size() - from < escapedSize) return false;
        return text_[from + 1] == what[1] && upper(text_[from + 2]) == what[2];
    }
    // The size of the colon at `place` of a keyword that begins at `from`; 0: there is none. Of
    // XML, a start tag's end is one.
    std::size_t colonOf(std::size_t from, std::size_t place) const {
        if (place >= size()) return 0;
        const char c = text_[place];
        if (isColon(c) || c == '#') return 1;
        if (c == '>') return from > 0 && text_[from - 1] == '<' ? 1 : 0;
        return isEscaped(place, colon) ? escapedSize : 0;
    }

    std::size_t endOfWord(std::size_t from) const { return endOfWord(from, keyword(from)); }
    std::size_t endOfWord(std::size_t begin, const Keyword& keyword) const {
        std::size_t from = keyword.size > 0 ? begin + keyword.size : behindName(begin);
        const auto ends = [this, begin](std::size_t at) {
            const Kind kind = kindOf(text_[at]);
            if (kind == Kind::blank) return true;
            if (kind == Kind::escape) return isEscaped(at, blank);
            if (at == begin) return false;
            if (kind == Kind::initial) return lacksBlank(at);
            return separates(at);
        };
        for (;; ++from) {
            while (from < size() && kindOf(text_[from]) <= Kind::closing) ++from;
            if (from >= size() || ends(from)) return from;
        }
    }
    std::size_t behindPrefixes(std::size_t from) const {
        while (from < size()) {
            if (isPrefix(text_[from]))
                ++from;
            else if (isEscaped(from, blank))
                from += escapedSize;
            else
                break;
        }
        return from;
    }
    std::size_t behindColons(std::size_t from) const {
        while (from < size() && isColon(text_[from])) ++from;
        return from;
    }
    std::size_t behindBlanks(std::size_t from) const {
        while (from < size() && isBlank(text_[from])) ++from;
        return from;
    }
    std::size_t behindDividers(std::size_t from) const {
        for (; from < size(); ++from) {
            if (isEscaped(from, blank))
                from += escapedSize - 1;
            else if (!isBlank(text_[from]) && text_[from] != '_' && text_[from] != '-' &&
                     text_[from] != '+')
                break;
        }
        return from;
    }
    std::size_t behindGap(std::size_t from) const {
        while (from < size() && (isBlank(text_[from]) || isQuote(text_[from]))) ++from;
        return from;
    }
    // The place behind the name of a field that is not read here, and its colon; `from` if there is
    // none.
    std::size_t behindName(std::size_t from) const {
        std::size_t end = from;
        while (end < size() && isLetter(text_[end])) ++end;
        if (end == from) return from;
        end = behindGap(end);
        if (isEscaped(end, colon)) return end + escapedSize;
        return end < size() && isColon(text_[end]) ? end + 1 : from;
    }
    // Some leave out the blank before a field. Behind a letter "id:" may be the end of "uuid:", and
    // "ERR=" that of an id.
    bool lacksBlank(std::size_t at) const {
        const char before = text_[at - 1];
        if (!isDigit(before) && !isLetter(before)) return false;
        const Keyword found = keyword(at);
        const auto hasColon = [&] { return text_[at + found.size - 1] == ':'; };
        return found.isOfAppendixB && (isDigit(before) || (found.name != Name::id && hasColon()));
    }
    // Ids may have commas, slashes and colons in them.
    bool separates(std::size_t at) const {
        const char c = text_[at];
        std::size_t next = at + 1;
        if (isComma(c)) {
            const bool ends = next == size() || isBlank(text_[next]) || isComma(text_[next]);
            if (ends || isField(next)) return true;
        }
        if (c == '<' && next < size() && text_[next] == '/') return true;  // of XML
        const std::size_t last = std::min(at + longestDivider, size());
        while (next < last && isDivider(text_[next])) ++next;
        return keyword(next).size > 0;
    }
    bool isField(std::size_t from) const {
        while (from < size() && isQuote(text_[from])) ++from;
        return keyword(from).size > 0 || behindName(from) != from;
    }
    bool isOfAppendixB(std::size_t from) const { return keyword(from).isOfAppendixB; }
    bool has(const Word& word, char c) const {
        for (std::size_t i = word.begin; i < word.end; ++i)
            if (text_[i] == c) return true;
        return false;
    }
    // The word without quotes, and without a closing bracket that was opened before the field.
    Word unquoted(const Word& word) const {
        if (word.empty()) return word;
        if (!isQuote(text_[word.begin])) return withoutClosing(word);
        std::size_t end = word.end;
        while (text_[end - 1] == '}') --end;
        const bool isClosed = end > word.begin + 1 && text_[end - 1] == text_[word.begin];
        return isClosed ? Word{word.begin + 1, end - 1} : word;
    }

    Word withoutClosing(const Word& word) const {
        const char last = text_[word.end - 1];
        if (last != '}' && last != '>' && last != ')' && last != ']') return word;
        Word inside = word;
        for (const char bracket : {'{', '<', '(', '['}) {
            if (inside.end - inside.begin > 1 && text_[inside.end - 1] == closing(bracket) &&
                !has(inside, bracket))
                --inside.end;
        }
        return inside;
    }

    std::string_view text_;
    Colon colon_;
};

}  // namespace smpp
