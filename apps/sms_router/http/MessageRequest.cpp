#include "sms_router/http/MessageRequest.h"

#include <re2/re2.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include <smpp/pdu/PduWriter.h>

#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/Spelling.h"
#include "sms_router/http/Callback.h"

namespace router {

namespace {

using smpp::Alphabet;

constexpr std::int64_t longestValidity = 30 * 24 * 3600;  // s
constexpr std::uint8_t headerIndicator = 0x40;            // of esm_class
constexpr std::size_t usualPdu = 128;                     // octets of a submit_sm beside its text

[[noreturn]] void refuse(Member member, const std::string& what) {
    const std::string_view name = memberNames[static_cast<std::size_t>(member)];
    throw Problem{422, std::string(name) + ": " + what};
}

void checkText(Member member, std::string_view text, std::size_t longest) {
    if (text.find('\0') != text.npos) refuse(member, "contains a NUL");
    if (text.size() > longest) {
        refuse(member, "is longer than " + std::to_string(longest) + " octets");
    }
}

SourceAddress readAddress(const MessageMembers& members, Member text, Member ton, Member npi) {
    SourceAddress address = addressOf(members.text(text));
    checkText(text, address.address, limits::address);
    address.ton = static_cast<std::uint8_t>(members.number(ton, 0, 255, address.ton));
    address.npi = static_cast<std::uint8_t>(members.number(npi, 0, 255, address.npi));
    return address;
}

std::uint8_t readReceipt(const MessageMembers& members) {
    if (!members.has(Member::receipt)) return 0;
    const MessageMembers::Value& value = members.value(Member::receipt);
    if (const bool* wanted = std::get_if<bool>(&value)) return *wanted ? 1 : 0;
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && *text == "failure") return 2;
    refuse(Member::receipt, "must be true, false or \"failure\"");
}

std::string twoDigits(std::int64_t number) {
    return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

std::string readValidity(const MessageMembers& members) {
    const std::int64_t seconds = members.number(Member::validity, 1, longestValidity, 0);
    return seconds == 0 ? std::string() : relativeTime(seconds);
}

// RFC 3339 becomes an absolute time of UTC. SMPP has two digits for the year.
std::string readSchedule(const MessageMembers& members) {
    using namespace std::chrono;
    const std::string_view text = members.text(Member::sendAt);
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
    if (!hasForm || !date.ok())
        refuse(Member::sendAt, "must be a time such as 2030-12-31T23:59:00Z");
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

nio::Bytes readHex(const MessageMembers& members, Member member) {
    const std::string_view digits = members.text(member);
    nio::Bytes octets;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        std::uint8_t octet = 0;
        const char* const begin = digits.data() + i;
        const auto [end, error] = std::from_chars(begin, begin + 2, octet, 16);
        if (error != std::errc() || end != begin + 2) break;
        octets.push_back(nio::Byte{octet});
    }
    if (octets.size() * 2 != digits.size()) {
        refuse(member, "must be octets, two hexadecimal digits each");
    }
    return octets;
}

// Absent: its connector's.
std::optional<smpp::Marking> readMarking(const MessageMembers& members) {
    const std::string_view name = members.text(Member::concatenation);
    if (name.empty()) return std::nullopt;
    if (name == "udh8") return smpp::Marking::header8;
    if (name == "udh16") return smpp::Marking::header16;
    if (name == "sar") return smpp::Marking::sar;
    refuse(Member::concatenation, "must be \"udh8\", \"udh16\" or \"sar\"");
}

void readSegments(const MessageMembers& members, std::uint16_t reference, MessageRequest& message) {
    const std::optional<smpp::Marking> named = readMarking(members);
    const bool isBinary = members.has(Member::data) || members.has(Member::udh);
    if (isBinary == members.has(Member::text)) {
        throw Problem{422, "a message needs either text, or data and perhaps udh"};
    }
    const std::vector<std::string> names = members.texts(Member::encoding);
    if (isBinary && !names.empty()) refuse(Member::encoding, "is for text only");
    constexpr std::uint8_t octets = 4;
    const auto coding = members.number(Member::dataCoding, 0, 255, octets);
    auto cut = [=, data = readHex(members, Member::data), header = readHex(members, Member::udh),
                alphabets = alphabetsNamed(names)](std::string_view text, smpp::Marking marking) {
        return isBinary ? smpp::binarySegmentsOf(data, header, marking, reference,
                                                 static_cast<std::uint8_t>(coding))
                        : smpp::segmentsOf(text, alphabets, marking, reference);
    };
    const std::string_view text = members.text(Member::text);
    auto segments = cut(text, named.value_or(smpp::Marking::header8));
    if (!segments) refuse(isBinary ? Member::data : Member::text, segments.error().context());
    message.segments = std::move(segments).value();
    if (members.has(Member::dataCoding)) {
        message.segments.dataCoding = static_cast<std::uint8_t>(coding);
    }
    if (named || message.segments.parts.size() == 1) return;
    message.cutAs = [cut = std::move(cut), text = std::string(text)](smpp::Marking marking) {
        return cut(text, marking);
    };
}

constexpr std::array<std::pair<std::string_view, Alphabet>, 7> alphabets{
    {{"gsm", Alphabet::gsm},
     {"gsm-turkish", Alphabet::gsmTurkish},
     {"gsm-spanish", Alphabet::gsmSpanish},
     {"gsm-portuguese", Alphabet::gsmPortuguese},
     {"latin1", Alphabet::latin1},
     {"ucs2", Alphabet::ucs2},
     {"binary", Alphabet::octets}}};

MessageRequest read(const MessageMembers& members, std::uint16_t reference) {
    MessageRequest message;
    message.from = readAddress(members, Member::from, Member::fromTon, Member::fromNpi);
    message.to = readAddress(members, Member::to, Member::toTon, Member::toNpi);
    if (message.to.address.empty()) refuse(Member::to, "is missing");
    message.serviceType = members.text(Member::serviceType);
    checkText(Member::serviceType, message.serviceType, limits::serviceType);
    message.schedule = readSchedule(members);
    message.validity = readValidity(members);
    message.priority = static_cast<std::uint8_t>(members.number(Member::priority, 0, 3, 0));
    message.registeredDelivery = readReceipt(members);
    readSegments(members, reference, message);
    const std::string_view webhook = members.text(Member::webhook);
    if (!webhook.empty()) message.callback = Callback{.url = std::string(webhook)}.toJson();
    return message;
}

}  // namespace

Member memberNamed(std::string_view name) {
    const auto found = std::find(memberNames.begin(), memberNames.end(), name);
    if (found != memberNames.end()) return Member(found - memberNames.begin());
    const std::vector<std::string> all(memberNames.begin(), memberNames.end());
    throw Problem{422, "unknown member '" + std::string(name) + "'" + didYouMean(name, all)};
}

std::string_view MessageMembers::text(Member member) const {
    const Value& found = value(member);
    if (!has(member)) return {};
    const auto* const text = std::get_if<std::string>(&found);
    if (text == nullptr) refuse(member, "must be a string");
    return *text;
}

std::vector<std::string> MessageMembers::texts(Member member) const {
    const Value& found = value(member);
    if (!has(member)) return {};
    if (const auto* one = std::get_if<std::string>(&found)) return {*one};
    const auto* const several = std::get_if<std::vector<std::string>>(&found);
    if (several == nullptr) refuse(member, "must be a string or an array of strings");
    return *several;
}

std::int64_t MessageMembers::number(Member member, std::int64_t least, std::int64_t most,
                                    std::int64_t otherwise) const {
    const Value& found = value(member);
    if (!has(member)) return otherwise;
    const auto* const number = std::get_if<std::int64_t>(&found);
    if (number == nullptr || *number < least || *number > most) {
        refuse(member, "must be a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
    }
    return *number;
}

std::variant<MessageRequest, Problem> messageRequestOf(const MessageMembers& members,
                                                       std::uint16_t reference) try {
    return read(members, reference);
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
            refuse(Member::encoding, "'" + name + "' is none of gsm, gsm-turkish, gsm-spanish, " +
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
    writer.reserve(usualPdu + part.message.size());
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
