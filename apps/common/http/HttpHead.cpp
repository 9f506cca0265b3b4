#include "common/http/HttpHead.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace apps {

namespace {

constexpr int badRequest = 400;
constexpr int notImplemented = 501;
// One allocation for all headers of most requests.
constexpr std::size_t usualHeaders = 12;

// Letters, digits and those.
class Characters {
  public:
    constexpr explicit Characters(std::string_view others) {
        for (char c = 'a'; c <= 'z'; ++c) contains_[at(c)] = contains_[at(c) - 'a' + 'A'] = true;
        for (char c = '0'; c <= '9'; ++c) contains_[at(c)] = true;
        for (const char c : others) contains_[at(c)] = true;
    }
    // And it is not empty.
    bool makeUp(std::string_view text) const {
        const auto fits = [this](char c) { return contains_[at(c)]; };
        return !text.empty() && std::all_of(text.begin(), text.end(), fits);
    }

  private:
    static constexpr std::size_t at(char c) { return static_cast<unsigned char>(c); }

    std::array<bool, 256> contains_{};
};

bool isToken(std::string_view text) {
    static constexpr Characters token("!#$%&'*+-.^_`|~");
    return token.makeUp(text);
}

// With or without a port; no user's name, no list.
bool isHost(std::string_view text) {
    static constexpr Characters host("-._~!$&'()*+;=%:[]");
    return host.makeUp(text);
}

bool isTarget(std::string_view text) {
    const auto fits = [](char c) { return c > ' ' && c <= '~' && c != '#'; };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Of an absolute URL: "http://"; TLS may end before this server. Empty: it has none of these.
std::string_view schemeOf(std::string_view target) {
    const std::string_view scheme = target.substr(0, target.find('/') + 2);
    const std::string name = lower(scheme);
    return name == "http://" || name == "https://" ? scheme : std::string_view();
}

// Whether percentDecoded() has an answer, without a NUL: texts end there for many a reader.
bool isDecodable(std::string_view path) {
    if (path.find('%') == path.npos) return true;
    const std::optional<std::string> decoded = percentDecoded(path);
    return decoded && decoded->find('\0') == decoded->npos;
}

std::ptrdiff_t countOf(const HttpFields& headers, std::string_view name) {
    return std::count_if(headers.begin(), headers.end(),
                         [&](const auto& field) { return field.first == name; });
}

// Whether a header that is a list, maybe in several lines, has that element.
bool lists(const HttpFields& headers, std::string_view name, std::string_view element) {
    for (const auto& [key, value] : headers) {
        if (key != name) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            if (lower(trimmed(rest.substr(0, end))) == element) return true;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return false;
}

}  // namespace

int readHttpSize(std::string_view digits, int base, std::uint64_t& size) {
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, size, base);
    if (stopped != end || error == std::errc::invalid_argument) return badRequest;
    return error == std::errc::result_out_of_range ? 413 : 0;
}

int HttpHead::readRequestLine(std::string_view line, std::size_t mostUrlBytes) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == line.npos || first == last) return badRequest;
    request_.method = line.substr(0, first);
    target_ = line.substr(first + 1, last - first - 1);
    if (!isToken(request_.method) || !isTarget(target_)) return badRequest;
    if (const int refused = readVersion(line.substr(last + 1))) return refused;
    if (target_.size() > mostUrlBytes) return 414;
    request_.headers.reserve(usualHeaders);
    return splitTarget();
}

int HttpHead::readVersion(std::string_view version) {
    constexpr std::string_view form = "HTTP/1.0";
    const auto isDigit = [&](std::size_t i) { return version[i] >= '0' && version[i] <= '9'; };
    const bool fits = version.size() == form.size() && version.starts_with("HTTP/") && isDigit(5) &&
                      version[6] == '.' && isDigit(7);
    if (!fits) return badRequest;
    if (version[5] != '1') return 505;
    isOld_ = version == form;
    return 0;
}

int HttpHead::splitTarget() {
    // "OPTIONS *" is about no path, CONNECT names a host: no route is like them.
    if (request_.method == "CONNECT" || (request_.method == "OPTIONS" && target_ == "*")) {
        request_.path = target_;
        return 0;
    }
    std::string_view rest = target_;
    if (const auto scheme = schemeOf(rest); !scheme.empty()) {
        rest.remove_prefix(scheme.size());
        const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
        request_.host = rest.substr(0, end);
        if (!isHost(request_.host)) return badRequest;
        rest.remove_prefix(end);
    } else if (!rest.starts_with('/')) {
        return badRequest;
    }
    const std::size_t mark = std::min(rest.find('?'), rest.size());
    request_.path = mark == 0 ? "/" : rest.substr(0, mark);
    request_.query = rest.substr(std::min(mark + 1, rest.size()));
    return isDecodable(request_.path) ? 0 : badRequest;
}

// A blank at its beginning or before the colon is no part of a token.
int HttpHead::readHeader(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !isToken(line.substr(0, colon))) return badRequest;
    request_.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    return 0;
}

int HttpHead::finish() {
    if (const int refused = checkHost()) return refused;
    if (const int refused = findBody()) return refused;
    request_.keepAlive = staysOpen();
    return checkExpectation();
}

int HttpHead::checkHost() {
    const auto hosts = countOf(request_.headers, "host");
    if (hosts > 1 || (hosts == 0 && !isOld_)) return badRequest;
    if (hosts == 0) return 0;
    const std::string_view host = request_.header("host");
    if (!isHost(host)) return badRequest;
    // An absolute URL goes before it, RFC 9112, 3.2.2.
    if (request_.host.empty()) request_.host = host;
    return 0;
}

int HttpHead::findBody() {
    const auto lengths = countOf(request_.headers, "content-length");
    const auto codings = countOf(request_.headers, "transfer-encoding");
    if (lengths + codings > 1) return badRequest;
    if (lengths == 1) return readHttpSize(request_.header("content-length"), 10, bodyBytes_);
    if (codings == 0) return 0;
    return readCoding(lower(request_.header("transfer-encoding")));
}

// Only where "chunked" is the last coding does the request have an end: RFC 9112, 6.3.
int HttpHead::readCoding(std::string_view codings) {
    const std::size_t comma = codings.rfind(',');
    const std::string_view last = comma == codings.npos ? codings : codings.substr(comma + 1);
    if (isOld_ || trimmed(last) != "chunked") return badRequest;
    isChunked_ = comma == codings.npos;
    return isChunked_ ? 0 : notImplemented;
}

int HttpHead::checkExpectation() {
    for (const auto& [name, value] : request_.headers) {
        if (name != "expect" || value.empty()) continue;
        if (lower(value) != "100-continue") return 417;
        awaitsContinue_ = !isOld_ && (isChunked_ || bodyBytes_ > 0);
    }
    return 0;
}

// Another protocol is spoken behind an upgrade, but not by us: such a client must come anew.
bool HttpHead::staysOpen() const {
    const auto says = [this](const char* option) {
        return lists(request_.headers, "connection", option);
    };
    if (says("close") || says("upgrade") || request_.method == "CONNECT") return false;
    return !isOld_ || says("keep-alive");
}

}  // namespace apps
