#include "sms_router/config/NamedSections.h"

#include "sms_router/config/ApiKey.h"
#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/ConfigValues.h"

namespace router {

namespace {

void readPlain(TomlTable& table, PasswordHash& password) {
    std::string plain;
    if (!table.text("password", plain)) return;
    if (plain.empty()) return table.mistake("password", "is empty");
    if (plain.size() > limits::password || plain.find('\0') != std::string::npos) {
        return table.mistake("password", "is longer than 64 octets, or contains a NUL");
    }
    warnIfLong(table, "password", plain, limits::usualPassword);
    password = PasswordHash::ofPlain(plain);
}

void readHash(TomlTable& table, PasswordHash& password) {
    std::string hash;
    if (!table.text("password_hash", hash)) return;
    password = PasswordHash(hash);
    if (!password.isUsable()) {
        table.mistake("password_hash", "is not a complete crypt(3) hash; see --hash-password");
    }
}

void readPassword(TomlTable& table, PasswordHash& password) {
    const bool plain = table.has("password");
    const bool hash = table.has("password_hash");
    if (plain && hash) table.mistake("password_hash", "cannot be combined with password");
    if (!plain && !hash) table.mistake("has neither password nor password_hash");
    readPlain(table, password);
    readHash(table, password);
}

void readAllowedFrom(TomlTable& table, std::vector<AddressRange>& allowed) {
    constexpr std::string_view key = "allowed_from";
    for (const TomlText& text : table.texts(key)) {
        if (const auto range = AddressRange::parse(text.text)) {
            allowed.push_back(*range);
        } else {
            table.mistakeAt(text.line, key,
                            "'" + text.text + "' is not an address or CIDR block, such as " +
                                "192.0.2.0/24 (with no bits set after the prefix)");
        }
    }
    if (table.isEmptyArray(key)) table.mistake(key, "allows no address");
}

void readBindTypes(TomlTable& table, AccountConfig& account) {
    constexpr std::string_view key = "bind_types";
    if (!table.has(key)) return;
    account.mayTransmit = account.mayReceive = account.mayTransceive = false;
    for (const TomlText& text : table.texts(key)) {
        if (text.text == "transmitter") {
            account.mayTransmit = true;
        } else if (text.text == "receiver") {
            account.mayReceive = true;
        } else if (text.text == "transceiver") {
            account.mayTransceive = true;
        } else {
            table.mistakeAt(text.line, key,
                            "'" + text.text + "' is not one of transmitter, receiver, transceiver");
        }
    }
    if (table.isEmptyArray(key)) table.mistake(key, "allows no bind type");
}

void readLimits(TomlTable& table, AccountConfig& account) {
    table.count("max_binds", account.maxBinds, 1, limits::binds);
    table.count("window", account.window, 1, limits::window);
    table.count("read_ahead", account.readAhead, 0, limits::readAhead);
    table.count("deliver_window", account.deliverWindow, 1, limits::window);
    table.number("messages_per_second", account.messagesPerSecond, 0, limits::messagesPerSecond);
    table.count("keep_messages", account.keep.messages, 0, limits::many);
    table.count("keep_bytes", account.keep.bytes, 0, limits::many * 1'000);
    table.duration("keep_for", account.keep.time, std::chrono::seconds(1), limits::kept);
}

void readApiKeys(TomlTable& table, std::vector<std::string>& keys) {
    constexpr std::string_view name = "api_keys";
    for (const TomlText& text : table.texts(name)) {
        if (isApiKeyDigest(text.text)) {
            keys.push_back(text.text);
        } else {
            table.mistakeAt(text.line, name,
                            "is not the digest of a key, as --make-api-key prints it");
        }
    }
}

void readWebhook(TomlTable& table, WebhookConfig& webhook) {
    std::string url;
    readRequired(table, "url", url);
    if (!url.empty()) readUrl(table, "url", url, webhook.url);
    readRequired(table, "secret", webhook.secret);
    table.duration("timeout", webhook.timeout, limits::shortest, std::chrono::minutes(5));
    table.choice<WebhookFormat>("format", webhook.format,
                                {{"json", WebhookFormat::json},
                                 {"kannel", WebhookFormat::kannel},
                                 {"jasmin", WebhookFormat::jasmin}});
    table.flag("per_message", webhook.perMessage);
    table.flag("private_addresses", webhook.privateAddresses);
    if (webhook.privateAddresses && !webhook.perMessage) {
        table.mistake("private_addresses", "has no effect without per_message");
    }
}

// Without the key anything is permitted.
std::vector<AddressPattern> readPermitted(TomlTable& table, std::string_view key) {
    if (table.isEmptyArray(key)) table.mistake(key, "permits no address");
    return readPatterns(table, key);
}

}  // namespace

AccountConfig readAccount(const std::string& name, TomlTable& table) {
    AccountConfig account;
    account.systemId = name;
    readPassword(table, account.password);
    readAllowedFrom(table, account.allowedFrom);
    readBindTypes(table, account);
    readLimits(table, account);
    account.sources = readPermitted(table, "sources");
    account.destinations = readPermitted(table, "destinations");
    table.flag("digits_only", account.digitsOnly);
    bool lists = false;
    table.flag("distribution_lists", lists);
    if (table.has("distribution_lists")) account.distributionLists = lists;
    table.choice<bool>("receipt_addresses", account.ownAddressesInReceipts,
                       {{"own", true}, {"smsc", false}});
    table.choice<bool>("receipts_from_esme", account.clearsReceiptMark,
                       {{"refuse", false}, {"clear", true}});
    account.numbers = readPatterns(table, "numbers");
    readApiKeys(table, account.http.keys);
    table.table("webhook", [&](TomlTable& hook) { readWebhook(hook, account.http.webhook); });
    return account;
}

}  // namespace router
