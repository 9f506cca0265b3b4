#include "echo_client/payload/Expectation.h"

#include <algorithm>

#include <re2/re2.h>

#include "common/Quantity.h"

namespace load {

namespace {

using Match = Expectation::Match;

nio::Error badAnswer(const std::string& why) {
    return {std::errc::invalid_argument, why};
}

std::string_view textOf(nio::ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// False: the text begins with another word.
bool takeWord(const std::string& text, const std::string& word, std::string& rest) {
    if (!text.starts_with(word)) return false;
    rest = text.substr(word.size());
    return true;
}

Match partialUnlessLong(std::size_t bytes, std::size_t seen, std::size_t lines = 0) {
    if (bytes > Expectation::longest) return {Match::Kind::wrong};
    return {Match::Kind::partial, seen, lines};
}

Match matchExact(nio::ByteView bytes, nio::ByteView exact, const Match& before) {
    const nio::ByteView shared = bytes.first(std::min(bytes.size(), exact.size()));
    const nio::ByteView fresh = shared.subspan(before.bytes);
    if (!std::equal(fresh.begin(), fresh.end(), exact.subspan(before.bytes).begin())) {
        return {Match::Kind::wrong};
    }
    const bool isWhole = shared.size() == exact.size();
    return {isWhole ? Match::Kind::whole : Match::Kind::partial, shared.size()};
}

Match matchDelimiter(std::string_view text, const std::string& delimiter, const Match& before) {
    const std::size_t at = text.find(delimiter, before.bytes);
    if (at != std::string_view::npos) return {Match::Kind::whole, at + delimiter.size()};
    // The delimiter may begin in the last bytes.
    const std::size_t kept = std::min(text.size(), delimiter.size() - 1);
    return partialUnlessLong(text.size(), text.size() - kept);
}

Match matchLines(std::string_view text, std::size_t lines, const Match& before) {
    std::size_t end = before.bytes;
    for (std::size_t i = before.lines; i < lines; ++i) {
        const std::size_t newline = text.find('\n', end);
        if (newline == std::string_view::npos)
            return partialUnlessLong(text.size(), text.size(), i);
        end = newline + 1;
    }
    return {Match::Kind::whole, end};
}

Match matchRegex(std::string_view text, const re2::RE2& regex) {
    re2::StringPiece found;
    const std::size_t size = std::min(text.size(), Expectation::longestOfRegex);
    const re2::StringPiece all(text.data(), size);
    const bool matches = regex.Match(all, 0, all.size(), re2::RE2::ANCHOR_START, &found, 1);
    if (!matches || found.empty()) {
        if (text.size() > size) return {Match::Kind::wrong};
        return {Match::Kind::partial};
    }
    return {Match::Kind::whole, found.size()};
}

// As agents are told it: what JSON carries is text, a regular expression of bytes need not be.
std::string withoutHighBytes(const std::string& regex) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : regex) {
        const auto value = static_cast<unsigned char>(c);
        if (value < 0x80) {
            text += c;
        } else {
            text += {'\\', 'x', digits[value >> 4], digits[value & 15]};
        }
    }
    return text;
}

}  // namespace

nio::Result<Expectation> Expectation::parse(const std::string& text) {
    Expectation made;
    made.text_ = text;
    std::string rest;
    if (text == "any") return made;
    if (takeWord(text, "length:", rest) || takeWord(text, "lines:", rest)) {
        const auto count = apps::parseCountWithin(1, longest, rest);
        if (!count) return badAnswer("'" + text + "': " + count.error().context());
        made.kind_ = text.starts_with("lines:") ? Kind::lines : Kind::length;
        made.count_ = static_cast<std::size_t>(count.value());
    } else if (takeWord(text, "until:", rest)) {
        auto delimiter = unescape(rest);
        if (!delimiter) return delimiter.error();
        if (delimiter.value().empty()) return badAnswer("'" + text + "': the end is missing");
        made.kind_ = Kind::until;
        made.delimiter_ = std::move(delimiter).value();
        made.text_ = "until:" + escape(made.delimiter_);
    } else if (text.size() >= 2 && text.starts_with("/") && text.ends_with("/")) {
        re2::RE2::Options options(re2::RE2::Latin1);
        options.set_dot_nl(true);
        options.set_log_errors(false);
        auto regex = std::make_shared<const re2::RE2>(text.substr(1, text.size() - 2), options);
        if (!regex->ok()) return badAnswer("'" + text + "': " + regex->error());
        if (re2::RE2::FullMatch("", *regex)) {
            return badAnswer("'" + text + "' matches the empty text, and an answer is not empty");
        }
        made.text_ = withoutHighBytes(text);
        made.kind_ = Kind::regex;
        made.regex_ = std::move(regex);
    } else {
        auto exact = Template::parse(text);
        if (!exact) return exact.error();
        made.kind_ = Kind::exact;
        made.exact_ = std::move(exact).value();
        made.text_ = made.exact_.toString();
    }
    return made;
}

Match Expectation::match(nio::ByteView bytes, nio::ByteView exact, const Match& before) const {
    switch (kind_) {
        case Kind::exact: return matchExact(bytes, exact, before);
        case Kind::regex: return matchRegex(textOf(bytes), *regex_);
        case Kind::length:
            return bytes.size() < count_ ? Match{} : Match{Match::Kind::whole, count_};
        case Kind::until: return matchDelimiter(textOf(bytes), delimiter_, before);
        case Kind::lines: return matchLines(textOf(bytes), count_, before);
        case Kind::any: break;
    }
    return {Match::Kind::whole, bytes.size()};
}

void Expectation::append(std::uint64_t connection, std::uint64_t sequence, Random random,
                         nio::Bytes& to) const {
    if (kind_ == Kind::exact) exact_.append(connection, sequence, random, to);
}

}  // namespace load
