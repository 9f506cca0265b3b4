#include "simulation/router/HttpWire.h"

#include <charconv>

namespace simulation {

namespace {

constexpr std::string_view headEnd = "\r\n\r\n";

std::size_t numberIn(std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

int HttpText::status() const {
    constexpr std::string_view version = "HTTP/1.1 ";
    const std::string_view line = head;
    if (!line.starts_with(version)) return 0;
    return static_cast<int>(numberIn(line.substr(version.size())));
}

std::string_view HttpText::header(std::string_view name) const {
    const std::string_view all = head;
    const std::size_t at = all.find("\r\n" + std::string(name) + ": ");
    if (at == std::string_view::npos) return {};
    const std::string_view value = all.substr(at + name.size() + 4);
    return value.substr(0, value.find("\r\n"));
}

std::optional<HttpText> HttpWire::next() {
    const std::string_view text = nio::asText(in_);
    const std::size_t end = text.find(headEnd);
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t start = end + headEnd.size();
    HttpText found{std::string(text.substr(0, start)), {}};
    const std::size_t length = numberIn(found.header("Content-Length"));
    if (text.size() - start < length) return std::nullopt;
    found.body = text.substr(start, length);
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(start + length));
    return found;
}

}  // namespace simulation
