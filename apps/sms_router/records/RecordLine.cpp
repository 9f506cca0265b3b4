#include "sms_router/records/RecordLine.h"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace router {

namespace {

std::string_view nameOf(MessageRecord::Kind kind) {
    switch (kind) {
        case MessageRecord::Kind::submit: return "submit";
        case MessageRecord::Kind::receipt: return "receipt";
        case MessageRecord::Kind::mo: return "mo";
        case MessageRecord::Kind::alert: return "alert";
    }
    return "unknown";
}

// `name` has no character that JSON would escape.
void appendName(std::string& out, std::string_view name) {
    out += ",\"";
    out += name;
    out += "\":";
}

void appendField(std::string& out, std::string_view name, std::string_view text) {
    if (text.empty()) return;
    appendName(out, name);
    appendJsonText(out, text);
}

void appendField(std::string& out, std::string_view name, std::int64_t number) {
    appendName(out, name);
    out += std::to_string(number);
}

void appendAddress(std::string& out, std::string_view name, std::string_view address, bool mask) {
    if (mask)
        appendField(out, name, maskedAddress(address));
    else
        appendField(out, name, address);
}

void appendBeginning(std::string& out, std::chrono::system_clock::time_point time) {
    out += "{\"time\":\"";
    appendTime(out, time);
    out += '"';
}

}  // namespace

void appendRecordLine(std::string& out, const MessageRecord& record, bool maskAddresses) {
    appendBeginning(out, record.time);
    appendField(out, "kind", nameOf(record.kind));
    appendField(out, "account", record.account);
    appendField(out, "connector", record.connector);
    appendField(out, "route", record.route);
    appendAddress(out, "source", record.source, maskAddresses);
    appendAddress(out, "destination", record.destination, maskAddresses);
    appendField(out, "message_id", record.messageId);
    appendField(out, "smsc_message_id", record.smscMessageId);
    appendField(out, "status", smpp::nameOf(record.status));
    appendField(out, "outcome", record.outcome);
    appendField(out, "took_us", record.took.count());
    appendField(out, "octets", record.octets);
    appendField(out, "data_coding", record.dataCoding);
    out += "}\n";
}

void appendDroppedLine(std::string& out, std::chrono::system_clock::time_point time,
                       std::uint64_t count) {
    appendBeginning(out, time);
    appendField(out, "kind", "dropped");
    appendField(out, "count", static_cast<std::int64_t>(count));
    out += "}\n";
}

std::string maskedAddress(std::string_view address) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    auto toMask = std::count_if(address.begin(), address.end(), isDigit) - 3;
    std::string masked(address);
    for (char& c : masked) {
        if (isDigit(c) && toMask-- > 0) c = 'x';
    }
    return masked;
}

namespace {

bool isPlain(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

}  // namespace

// Nearly all of it is addresses and ids, which need no care.
void appendJsonText(std::string& out, std::string_view text) {
    if (std::all_of(text.begin(), text.end(), isPlain)) {
        out += '"';
        out += text;
        out += '"';
        return;
    }
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

void appendDigits(std::string& out, std::int64_t number, std::size_t digits) {
    char text[8];
    for (std::size_t i = digits; i > 0; --i, number /= 10) {
        text[i - 1] = static_cast<char>('0' + number % 10);
    }
    out.append(text, digits);
}

}  // namespace

void appendTime(std::string& out, std::chrono::system_clock::time_point time) {
    const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
    const auto day = std::chrono::floor<std::chrono::days>(micros);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(micros - day);
    appendDigits(out, static_cast<int>(date.year()), 4);
    out += '-';
    appendDigits(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    appendDigits(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    appendDigits(out, clock.hours().count(), 2);
    out += ':';
    appendDigits(out, clock.minutes().count(), 2);
    out += ':';
    appendDigits(out, clock.seconds().count(), 2);
    out += '.';
    appendDigits(out, clock.subseconds().count(), 6);
    out += 'Z';
}

}  // namespace router
