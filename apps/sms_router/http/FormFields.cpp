#include "sms_router/http/FormFields.h"

#include <strings.h>

#include <algorithm>

namespace router {

namespace {

std::string decoded(std::string_view text) {
    auto plain = apps::percentDecoded(text, true);
    if (!plain) throw Problem{400, "a % is not followed by two hexadecimal digits"};
    return *std::move(plain);
}

}  // namespace

FormFields FormFields::of(const apps::HttpRequest& request) {
    FormFields fields;
    fields.parse(request.query);
    if (hasMediaType(request, "application/x-www-form-urlencoded")) fields.parse(request.body);
    return fields;
}

void FormFields::parse(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('&', begin), text.size());
        const std::string_view pair = text.substr(begin, end - begin);
        begin = end + 1;
        if (pair.empty()) continue;
        const std::size_t middle = std::min(pair.find('='), pair.size());
        add(decoded(pair.substr(0, middle)),
            decoded(pair.substr(std::min(middle + 1, pair.size()))));
    }
}

void FormFields::add(std::string name, std::string value) {
    if (fields_.size() == most) throw Problem{400, "there are too many parameters"};
    fields_.emplace_back(std::move(name), std::move(value));
}

std::string FormFields::text(std::string_view name) const {
    const std::string* const value = find(name);
    return value == nullptr ? std::string() : *value;
}

const std::string* FormFields::find(std::string_view name) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const auto& field) { return field.first == name; });
    return found == fields_.end() ? nullptr : &found->second;
}

bool hasMediaType(const apps::HttpRequest& request, std::string_view type) {
    const std::string_view header = request.header("content-type");
    const std::string_view said = header.substr(0, header.find_first_of("; \t"));
    if (said.size() != type.size()) return false;
    return said.empty() || strncasecmp(said.data(), type.data(), type.size()) == 0;
}

std::string formEncoded(std::string_view text) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto octet = static_cast<unsigned char>(c);
        if (c == ' ') {
            encoded += '+';
        } else if (plain.find(c) != plain.npos) {
            encoded += c;
        } else {
            encoded += {'%', digits[octet >> 4], digits[octet & 15]};
        }
    }
    return encoded;
}

std::string formEncoded(const apps::HttpFields& fields) {
    std::string encoded;
    for (const auto& [name, value] : fields) {
        if (!encoded.empty()) encoded += '&';
        encoded += formEncoded(name) + "=" + formEncoded(value);
    }
    return encoded;
}

}  // namespace router
