#include "common/http/HttpParser.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

namespace apps {

namespace {

constexpr int stop = -1;
// Of the parser: no Content-Length was given.
constexpr std::uint64_t noLength = std::numeric_limits<std::uint64_t>::max();

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

void makeLower(std::string& text) {
    std::transform(text.begin(), text.end(), text.begin(), lower);
}

void trim(std::string& text) {
    const std::size_t end = text.find_last_not_of(" \t");
    text.erase(end == text.npos ? 0 : end + 1);
}

std::string_view partOf(std::string_view url, const http_parser_url& parts,
                        http_parser_url_fields which) {
    if ((parts.field_set & (1U << which)) == 0) return {};
    return url.substr(parts.field_data[which].off, parts.field_data[which].len);
}

// "[::1]:8080", of an absolute URL: the parser has taken the brackets off.
std::string hostOf(std::string_view url, const http_parser_url& parts) {
    std::string host(partOf(url, parts, UF_HOST));
    if (host.find(':') != host.npos) host = "[" + host + "]";
    const std::string_view port = partOf(url, parts, UF_PORT);
    if (!port.empty()) host.append(":").append(port);
    return host;
}

}  // namespace

const http_parser_settings& HttpParser::callbacks() {
    static const http_parser_settings settings = [] {
        http_parser_settings made{};
        made.on_message_begin = notify<&HttpParser::messageBegun>;
        made.on_url = pass<&HttpParser::urlRead>;
        made.on_header_field = pass<&HttpParser::nameRead>;
        made.on_header_value = pass<&HttpParser::valueRead>;
        made.on_headers_complete = notify<&HttpParser::headersComplete>;
        made.on_body = pass<&HttpParser::bodyRead>;
        made.on_message_complete = notify<&HttpParser::messageComplete>;
        return made;
    }();
    return settings;
}

HttpParser::HttpParser(const HttpLimits& limits) : limits_(limits) {
    http_parser_init(&parser_, HTTP_REQUEST);
    parser_.data = this;
}

std::size_t HttpParser::feed(std::string_view bytes) {
    // To the parser no bytes are the end of the stream.
    if (bytes.empty() || complete_ || error_ != 0) return 0;
    http_parser_pause(&parser_, 0);
    const std::size_t done =
        http_parser_execute(&parser_, &callbacks(), bytes.data(), bytes.size());
    const auto code = static_cast<http_errno>(parser_.http_errno);
    if (error_ == 0 && code != HPE_OK && code != HPE_PAUSED) error_ = statusOf(code);
    return done;
}

// The parser has a limit of its own, and comes to it before it has shown a piece that is so long.
int HttpParser::statusOf(http_errno code) const {
    if (code != HPE_HEADER_OVERFLOW) return 400;
    return url_.empty() ? 414 : 431;
}

std::optional<HttpRequest> HttpParser::take() {
    if (!std::exchange(complete_, false)) return std::nullopt;
    return std::exchange(request_, {});
}

bool HttpParser::takeContinue() {
    return std::exchange(wantsContinue_, false);
}

int HttpParser::refuse(int status) {
    if (error_ == 0) error_ = status;
    return stop;
}

int HttpParser::messageBegun() {
    request_ = {};
    url_.clear();
    field_ = Field::none;
    headerBytes_ = 0;
    inside_ = true;
    headIsOver_ = false;
    wantsContinue_ = false;
    return 0;
}

int HttpParser::urlRead(std::string_view part) {
    if (url_.size() + part.size() > limits_.urlBytes) return refuse(414);
    url_ += part;
    return 0;
}

int HttpParser::countHeader(std::size_t bytes) {
    headerBytes_ += bytes;
    return headerBytes_ > limits_.headerBytes ? refuse(431) : 0;
}

int HttpParser::nameRead(std::string_view part) {
    constexpr std::size_t punctuation = 4;  // ": " and the line's end
    const bool begins = std::exchange(field_, Field::name) != Field::name;
    if (const int refused = countHeader(part.size() + (begins ? punctuation : 0))) return refused;
    if (headIsOver_) return 0;
    if (begins) request_.headers.emplace_back();
    request_.headers.back().first += part;
    return 0;
}

int HttpParser::valueRead(std::string_view part) {
    field_ = Field::value;
    if (const int refused = countHeader(part.size())) return refused;
    if (!headIsOver_) request_.headers.back().second += part;
    return 0;
}

int HttpParser::headersComplete() {
    headIsOver_ = true;
    tidyFields();
    request_.method = http_method_str(static_cast<http_method>(parser_.method));
    if (const int refused = checkHead()) return refused;
    const bool chunked = (parser_.flags & F_CHUNKED) != 0;
    const bool hasBody = chunked || (parser_.content_length != noLength && parser_.content_length);
    if (hasBody && !chunked && parser_.content_length > limits_.bodyBytes) return refuse(413);
    std::string expected(request_.header("expect"));
    makeLower(expected);
    if (!expected.empty() && expected != "100-continue") return refuse(417);
    wantsContinue_ = hasBody && !expected.empty() && parser_.http_minor > 0;
    return 0;
}

void HttpParser::tidyFields() {
    for (auto& [name, value] : request_.headers) {
        makeLower(name);
        trim(value);
    }
}

int HttpParser::checkHead() {
    if (parser_.http_major != 1) return refuse(505);
    if (const int refused = checkHost()) return refused;
    return splitUrl();
}

int HttpParser::checkHost() {
    const auto isHost = [](const auto& field) { return field.first == "host"; };
    const auto hosts = std::count_if(request_.headers.begin(), request_.headers.end(), isHost);
    if (hosts > 1 || (hosts == 0 && parser_.http_minor > 0)) return refuse(400);
    request_.host = request_.header("host");
    return 0;
}

int HttpParser::splitUrl() {
    // "OPTIONS *" is about no path, CONNECT names a host: no route is like them.
    if (url_ == "*" || parser_.method == HTTP_CONNECT) {
        request_.path = url_;
        return 0;
    }
    http_parser_url parts{};
    http_parser_url_init(&parts);
    if (http_parser_parse_url(url_.data(), url_.size(), 0, &parts) != 0) return refuse(400);
    request_.path = partOf(url_, parts, UF_PATH);
    if (request_.path.empty()) request_.path = "/";
    request_.query = partOf(url_, parts, UF_QUERY);
    if ((parts.field_set & (1U << UF_HOST)) != 0) request_.host = hostOf(url_, parts);
    return 0;
}

int HttpParser::bodyRead(std::string_view part) {
    if (request_.body.size() + part.size() > limits_.bodyBytes) return refuse(413);
    request_.body += part;
    return 0;
}

int HttpParser::messageComplete() {
    // Another protocol is spoken behind an upgrade, but not by us: such a client must come anew.
    request_.keepAlive = http_should_keep_alive(&parser_) != 0 && !parser_.upgrade;
    inside_ = false;
    complete_ = true;
    wantsContinue_ = false;
    http_parser_pause(&parser_, 1);
    return 0;
}

}  // namespace apps
