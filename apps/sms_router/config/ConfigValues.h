// Values that several parts of a configuration have in common, each with its checks.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <smpp/pdu/Status.h>

#include "sms_router/config/AddressPattern.h"
#include "sms_router/config/HttpUrl.h"
#include "sms_router/config/TomlTable.h"

namespace router {

using Indices = std::map<std::string, std::size_t, std::less<>>;

// Longer than `longest` octets, which no PDU can carry, or with a NUL: a mistake.
void readPduText(TomlTable& table, std::string_view key, std::string& target, std::size_t longest);
// Longer than `usual` octets: a warning, for the peer may refuse it.
void warnIfLong(TomlTable& table, std::string_view key, const std::string& value,
                std::size_t usual);
// Empty: a mistake. Without the key there is none; an empty value may be one that was forgotten.
void readFilled(TomlTable& table, std::string_view key, std::string& target);
void readRequired(TomlTable& table, std::string_view key, std::string& target);
std::vector<AddressPattern> readPatterns(TomlTable& table, std::string_view key);
// By its name or number; ESME_ROK is none.
void readStatus(TomlTable& table, std::string_view key, smpp::Status& target);
void readOctet(TomlTable& table, std::string_view key, std::optional<std::uint8_t>& target);
// A numeric one, without a port.
void readAddress(TomlTable& table, std::string_view key, std::string& target);
// A file that can be read.
void readFileName(TomlTable& table, std::string_view key, std::string& target);

void readUrl(TomlTable& table, std::string_view key, const std::string& text, HttpUrl& url);

// The index of a name that must exist; `kind` says of what ("connector").
std::optional<std::size_t> find(TomlTable& table, std::string_view key, const TomlText& name,
                                const std::string& kind, const Indices& known);
std::optional<std::size_t> readReference(TomlTable& table, std::string_view key,
                                         const std::string& kind, const Indices& known);

}  // namespace router
