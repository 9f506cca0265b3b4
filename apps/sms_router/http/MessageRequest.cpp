#include "sms_router/http/MessageRequest.h"

#include <re2/re2.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include <smpp/pdu/PduWriter.h>

#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/Spelling.h"
#include "sms_router/http/Callback.h"

namespace router {

namespace {

using nlohmann::json;
using smpp::Alphabet;

constexpr std::int64_t longestValidity = 30 * 24 * 3600;  // s
constexpr std::uint8_t headerIndicator = 0x40;            // of esm_class

[[noreturn]] void refuse(std::string_view member, const std::string& what) {
    throw Problem{422, std::string(member) + ": " + what};
}

constexpr std::array<std::string_view, 18> memberNames{
    "from",         "from_ton", "from_npi", "to",      "to_ton",        "to_npi",
    "text",         "encoding", "data",     "udh",     "concatenation", "data_coding",
    "service_type", "send_at",  "validity", "receipt", "priority",      "webhook"};

// The members of one object.
class Members {
  public:
    explicit Members(const json& object) {
        if (!object.is_object()) throw Problem{422, "a message must be an object"};
        for (const auto& [name, value] : object.items()) {
            const std::size_t known = indexOf(name);
            if (known == memberNames.size()) {
                const std::vector<std::string> all(memberNames.begin(), memberNames.end());
                throw Problem{422, "unknown member '" + name + "'" + didYouMean(name, all)};
            }
            if (!value.is_null()) values_[known] = &value;
        }
    }

    bool has(std::string_view name) const { return find(name) != nullptr; }
    const std::string& text(std::string_view name) const {
        static const std::string none;
        const json* const value = find(name);
        if (value == nullptr) return none;
        if (!value->is_string()) refuse(name, "must be a string");
        return value->get_ref<const std::string&>();
    }
    // A string, or an array of them.
    std::vector<std::string> texts(std::string_view name) const {
        const json* const value = find(name);
        if (value == nullptr) return {};
        if (value->is_string()) return {value->get<std::string>()};
        const auto isText = [](const json& each) { return each.is_string(); };
        if (!value->is_array() || !std::all_of(value->begin(), value->end(), isText)) {
            refuse(name, "must be a string or an array of strings");
        }
        return value->get<std::vector<std::string>>();
    }
    std::int64_t number(std::string_view name, std::int64_t least, std::int64_t most,
                        std::int64_t otherwise) const {
        const json* const value = find(name);
        if (value == nullptr) return otherwise;
        const bool isWhole = value->is_number_integer();
        const bool isHuge = value->is_number_unsigned() &&
                            value->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
        if (!isWhole || isHuge || value->get<std::int64_t>() < least ||
            value->get<std::int64_t>() > most) {
            refuse(name, "must be a whole number from " + std::to_string(least) + " to " +
                             std::to_string(most));
        }
        return value->get<std::int64_t>();
    }
    const json* find(std::string_view name) const { return values_[indexOf(name)]; }

  private:
    static std::size_t indexOf(std::string_view name) {
        const auto found = std::find(memberNames.begin(), memberNames.end(), name);
        return static_cast<std::size_t>(found - memberNames.begin());
    }

    std::array<const json*, memberNames.size()> values_{};
};

void checkText(std::string_view member, const std::string& text, std::size_t longest) {
    if (text.find('\0') != text.npos) refuse(member, "contains a NUL");
    if (text.size() > longest) {
        refuse(member, "is longer than " + std::to_string(longest) + " octets");
    }
}

SourceAddress readAddress(const Members& members, const std::string& name) {
    SourceAddress address = addressOf(members.text(name));
    checkText(name, address.address, limits::address);
    const auto octet = [&](const char* part, std::uint8_t otherwise) {
        return static_cast<std::uint8_t>(members.number(name + part, 0, 255, otherwise));
    };
    address.ton = octet("_ton", address.ton);
    address.npi = octet("_npi", address.npi);
    return address;
}

std::uint8_t readReceipt(const Members& members) {
    const json* const value = members.find("receipt");
    if (value == nullptr) return 0;
    if (value->is_boolean()) return value->get<bool>() ? 1 : 0;
    if (*value == "failure") return 2;
    refuse("receipt", "must be true, false or \"failure\"");
}

std::string twoDigits(std::int64_t number) {
    return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

std::string readValidity(const Members& members) {
    const std::int64_t seconds = members.number("validity", 1, longestValidity, 0);
    return seconds == 0 ? std::string() : relativeTime(seconds);
}

// RFC 3339 becomes an absolute time of UTC. SMPP has two digits for the year.
std::string readSchedule(const Members& members) {
    using namespace std::chrono;
    const std::string& text = members.text("send_at");
    if (text.empty()) return {};
    static const re2::RE2 form(
        R"((?i)(20\d\d)-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?)"
        R"((Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))");
    int y = 0, m = 0, d = 0, hour = 0, minute = 0, second = 0;
    std::string zone;
    const bool hasForm =
        re2::RE2::FullMatch(text, form, &y, &m, &d, &hour, &minute, &second, &zone);
    const year_month_day date{year(y), month(static_cast<unsigned>(m)),
                              day(static_cast<unsigned>(d))};
    if (!hasForm || !date.ok()) refuse("send_at", "must be a time such as 2030-12-31T23:59:00Z");
    sys_seconds when = sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
    if (zone.size() > 1) {
        const auto offset =
            hours(std::stoi(zone.substr(1, 2))) + minutes(std::stoi(zone.substr(4)));
        when += zone.front() == '-' ? offset : -offset;
    }
    const auto midnight = floor<days>(when);
    const year_month_day utc(midnight);
    const hh_mm_ss time(when - midnight);
    return twoDigits(static_cast<int>(utc.year()) % 100) +
           twoDigits(static_cast<unsigned>(utc.month())) +
           twoDigits(static_cast<unsigned>(utc.day())) + twoDigits(time.hours().count()) +
           twoDigits(time.minutes().count()) + twoDigits(time.seconds().count()) + "000+";
}

nio::Bytes readHex(const Members& members, const char* name) {
    const std::string& digits = members.text(name);
    nio::Bytes octets;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        std::uint8_t octet = 0;
        const char* const begin = digits.data() + i;
        const auto [end, error] = std::from_chars(begin, begin + 2, octet, 16);
        if (error != std::errc() || end != begin + 2) break;
        octets.push_back(nio::Byte{octet});
    }
    if (octets.size() * 2 != digits.size()) {
        refuse(name, "must be octets, two hexadecimal digits each");
    }
    return octets;
}

smpp::Marking readMarking(const Members& members) {
    const std::string& name = members.text("concatenation");
    if (name.empty() || name == "udh8") return smpp::Marking::header8;
    if (name == "udh16") return smpp::Marking::header16;
    if (name == "sar") return smpp::Marking::sar;
    refuse("concatenation", "must be \"udh8\", \"udh16\" or \"sar\"");
}

smpp::Segments readSegments(const Members& members, std::uint16_t reference) {
    const smpp::Marking marking = readMarking(members);
    const bool isBinary = members.has("data") || members.has("udh");
    if (isBinary == members.has("text")) {
        throw Problem{422, "a message needs either text, or data and perhaps udh"};
    }
    std::vector<std::string> names = members.texts("encoding");
    if (isBinary && !names.empty()) refuse("encoding", "is for text only");
    const nio::Bytes data = readHex(members, "data");
    const nio::Bytes header = readHex(members, "udh");
    auto segments = isBinary ? smpp::binarySegmentsOf(data, header, marking, reference)
                             : smpp::segmentsOf(members.text("text"), alphabetsNamed(names),
                                                marking, reference);
    if (!segments) refuse(isBinary ? "data" : "text", segments.error().context());
    const auto coding = members.number("data_coding", 0, 255, segments.value().dataCoding);
    segments.value().dataCoding = static_cast<std::uint8_t>(coding);
    return std::move(segments).value();
}

constexpr std::array<std::pair<std::string_view, Alphabet>, 7> alphabets{
    {{"gsm", Alphabet::gsm},
     {"gsm-turkish", Alphabet::gsmTurkish},
     {"gsm-spanish", Alphabet::gsmSpanish},
     {"gsm-portuguese", Alphabet::gsmPortuguese},
     {"latin1", Alphabet::latin1},
     {"ucs2", Alphabet::ucs2},
     {"binary", Alphabet::octets}}};

MessageRequest read(const json& object, std::uint16_t reference) {
    const Members members(object);
    MessageRequest message;
    message.from = readAddress(members, "from");
    message.to = readAddress(members, "to");
    if (message.to.address.empty()) refuse("to", "is missing");
    message.serviceType = members.text("service_type");
    checkText("service_type", message.serviceType, limits::serviceType);
    message.schedule = readSchedule(members);
    message.validity = readValidity(members);
    message.priority = static_cast<std::uint8_t>(members.number("priority", 0, 3, 0));
    message.registeredDelivery = readReceipt(members);
    message.segments = readSegments(members, reference);
    const std::string webhook = members.text("webhook");
    if (!webhook.empty()) message.callback = Callback{.url = webhook}.toJson();
    return message;
}

}  // namespace

std::variant<MessageRequest, Problem> messageRequestOf(const json& object,
                                                       std::uint16_t reference) try {
    return read(object, reference);
} catch (Problem& problem) {
    return std::move(problem);
}

std::string relativeTime(std::int64_t seconds) {
    return "0000" + twoDigits(seconds / 86'400) + twoDigits(seconds / 3600 % 24) +
           twoDigits(seconds / 60 % 60) + twoDigits(seconds % 60) + "000R";
}

SourceAddress addressOf(std::string_view text) {
    const bool isInternational = text.starts_with('+');
    if (isInternational) text.remove_prefix(1);
    const bool isNumber = text.find_first_not_of("0123456789") == text.npos;
    constexpr std::uint8_t international = 1, alphanumeric = 5, isdn = 1;
    if (!isNumber)
        return {alphanumeric, 0, std::string(isInternational ? "+" : "") + std::string(text)};
    if (text.empty()) return {};
    return {isInternational ? international : std::uint8_t{0}, isdn, std::string(text)};
}

std::vector<Alphabet> alphabetsNamed(const std::vector<std::string>& names) {
    if (names.empty()) return {Alphabet::gsm, Alphabet::ucs2};
    std::vector<Alphabet> chosen;
    for (const std::string& name : names) {
        const auto found = std::find_if(alphabets.begin(), alphabets.end(),
                                        [&](const auto& each) { return each.first == name; });
        if (found == alphabets.end() || found->second == Alphabet::octets) {
            refuse("encoding", "'" + name + "' is none of gsm, gsm-turkish, gsm-spanish, " +
                                   "gsm-portuguese, latin1, ucs2");
        }
        chosen.push_back(found->second);
    }
    return chosen;
}

std::string_view nameOf(Alphabet alphabet) {
    const auto found = std::find_if(alphabets.begin(), alphabets.end(),
                                    [&](const auto& each) { return each.second == alphabet; });
    return found == alphabets.end() ? std::string_view() : found->first;
}

nio::Bytes MessageRequest::submitSm(const smpp::Segment& part, std::uint32_t sequence) const {
    smpp::PduWriter writer(smpp::Command::submitSm, smpp::Status::ok, sequence);
    writer.text(serviceType).number(from.ton).number(from.npi).text(from.address);
    writer.number(to.ton).number(to.npi).text(to.address);
    writer.number(segments.haveHeader ? headerIndicator : 0).number(0).number(priority);
    writer.text(schedule).text(validity).number(registeredDelivery).number(0);
    writer.number(segments.dataCoding).number(0);
    writer.number(static_cast<std::uint8_t>(part.message.size())).octets(part.message);
    if (part.sar) {
        writer.tlv(smpp::Tag::sarMsgRefNum, part.sar->reference, 2);
        writer.tlv(smpp::Tag::sarTotalSegments, part.sar->total, 1);
        writer.tlv(smpp::Tag::sarSegmentSeqnum, part.sar->part, 1);
    }
    return writer.finish();
}

}  // namespace router
