#include "common/http/HttpRequest.h"

#include <algorithm>

namespace apps {

namespace {

int hexValue(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

const std::string* find(const HttpFields& fields, std::string_view name) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& field) { return field.first == name; });
    return found == fields.end() ? nullptr : &found->second;
}

// Takes the text before `separator` off `rest`, and the separator.
std::string_view cut(std::string_view& rest, char separator) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

std::vector<std::string> parametersOf(std::string_view text, std::string_view name) {
    std::vector<std::string> found;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view value = cut(rest, '&');
        const std::string_view key = cut(value, '=');
        if (percentDecoded(key, true) != name) continue;
        if (auto decoded = percentDecoded(value, true)) found.push_back(std::move(*decoded));
    }
    return found;
}

std::optional<std::string> firstOf(std::vector<std::string> all) {
    if (all.empty()) return std::nullopt;
    return std::move(all.front());
}

}  // namespace

std::optional<std::string> percentDecoded(std::string_view text, bool plusIsSpace) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += plusIsSpace && text[i] == '+' ? ' ' : text[i];
            continue;
        }
        if (text.size() - i < 3) return std::nullopt;
        const int high = hexValue(text[i + 1]);
        const int low = hexValue(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        decoded += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return decoded;
}

std::string_view HttpRequest::header(std::string_view lowerCaseName) const {
    const std::string* value = find(headers, lowerCaseName);
    return value == nullptr ? std::string_view() : std::string_view(*value);
}

bool HttpRequest::hasHeader(std::string_view lowerCaseName) const {
    return find(headers, lowerCaseName) != nullptr;
}

std::string HttpRequest::pathParameter(std::string_view name) const {
    const std::string* value = find(pathParameters, name);
    return value == nullptr ? std::string() : *value;
}

std::optional<std::string> HttpRequest::queryParameter(std::string_view name) const {
    return firstOf(parametersOf(query, name));
}

std::vector<std::string> HttpRequest::queryParameters(std::string_view name) const {
    return parametersOf(query, name);
}

std::optional<std::string> HttpRequest::formParameter(std::string_view name) const {
    return firstOf(parametersOf(body, name));
}

std::optional<std::string> HttpRequest::cookie(std::string_view name) const {
    for (std::string_view rest = header("cookie"); !rest.empty();) {
        std::string_view value = cut(rest, ';');
        value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
        if (cut(value, '=') == name) return std::string(value);
    }
    return std::nullopt;
}

}  // namespace apps
