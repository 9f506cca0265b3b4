#include "sms_router/config/ConfigValues.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <nio/sys/SocketAddress.h>

#include "common/Endpoint.h"
#include "sms_router/config/Spelling.h"

namespace router {

void readPduText(TomlTable& table, std::string_view key, std::string& target, std::size_t longest) {
    table.text(key, target);
    if (target.size() > longest) {
        table.mistake(key, "is longer than the " + std::to_string(longest) +
                               " octets that a PDU has room for");
    }
}

void warnIfLong(TomlTable& table, std::string_view key, const std::string& value,
                std::size_t usual) {
    if (value.size() <= usual) return;
    table.warning(key, "is longer than " + std::to_string(usual) +
                           " octets: many implementations refuse that");
}

void readRequired(TomlTable& table, std::string_view key, std::string& target) {
    if (!table.has(key)) return table.mistake("has no " + std::string(key));
    readFilled(table, key, target);
}

void readFilled(TomlTable& table, std::string_view key, std::string& target) {
    if (table.text(key, target) && target.empty()) table.mistake(key, "is empty");
}

void readAddress(TomlTable& table, std::string_view key, std::string& target) {
    if (!table.text(key, target)) return;
    if (target.empty()) return table.mistake(key, "is empty");
    target = apps::withoutBrackets(target);
    if (nio::SocketAddress::numeric(target, 0)) return;
    table.mistake(key, "'" + target + "' is not an address (host names are not resolved)");
}

std::vector<AddressPattern> readPatterns(TomlTable& table, std::string_view key) {
    std::vector<AddressPattern> patterns;
    for (const TomlText& text : table.texts(key)) {
        std::string problem;
        auto pattern = AddressPattern::parse(text.text, problem);
        if (!pattern) {
            table.mistakeAt(text.line, key, "'" + text.text + "': " + problem);
            continue;
        }
        patterns.push_back(std::move(*pattern));
    }
    return patterns;
}

void readStatus(TomlTable& table, std::string_view key, smpp::Status& target) {
    std::string name;
    if (!table.text(key, name)) return;
    const auto status = smpp::statusNamed(name);
    if (!status) return table.mistake(key, "'" + name + "' is not a command_status");
    if (*status == smpp::Status::ok) return table.mistake(key, "ESME_ROK is not an error status");
    target = *status;
}

void readOctet(TomlTable& table, std::string_view key, std::optional<std::uint8_t>& target) {
    constexpr unsigned none = 256;
    unsigned value = none;
    table.count(key, value, 0, 255);
    if (value != none) target = static_cast<std::uint8_t>(value);
}

void readFileName(TomlTable& table, std::string_view key, std::string& target) {
    readFilled(table, key, target);
    if (target.empty()) return;
    errno = 0;
    if (std::ifstream(target)) return;
    table.mistake(key, target + ": " + std::generic_category().message(errno));
}

std::optional<std::size_t> find(TomlTable& table, std::string_view key, const TomlText& name,
                                const std::string& kind, const Indices& known) {
    const auto found = known.find(name.text);
    if (found != known.end()) return found->second;
    table.mistakeAt(
        name.line, key,
        "unknown " + kind + " '" + name.text + "'" + didYouMean(name.text, namesOf(known)));
    return std::nullopt;
}

std::optional<std::size_t> readReference(TomlTable& table, std::string_view key,
                                         const std::string& kind, const Indices& known) {
    std::string name;
    if (!table.text(key, name)) return std::nullopt;
    return find(table, key, {name, table.lineOf(key)}, kind, known);
}

void readUrl(TomlTable& table, std::string_view key, const std::string& text, HttpUrl& url) {
    auto parsed = HttpUrl::parse(text);
    parsed ? void(url = std::move(parsed).value()) : table.mistake(key, parsed.error().context());
}

}  // namespace router
