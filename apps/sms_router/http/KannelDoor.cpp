// Kannel's /cgi-bin/sendsms.
#include <re2/re2.h>
#include <algorithm>
#include <cctype>
#include <charconv>

#include "common/Hex.h"
#include "sms_router/http/Callback.h"
#include "sms_router/http/FormDoor.h"
#include "sms_router/http/KannelNotice.h"

namespace router {

namespace kannel {

namespace {

constexpr std::int64_t longest = 30 * 24 * 60;  // minutes
enum Coding : std::int64_t { septets, octets, ucs2 };

[[noreturn]] void refuse(const std::string& what) {
    throw Problem{422, what + ", rejected"};
}

// The first of these names that is there: some have an older one.
std::string textOf(const FormFields& fields, std::string_view name, std::string_view older) {
    return fields.text(fields.has(name) ? name : older);
}

// Absent: it is not there, or -1.
std::optional<std::int64_t> number(const std::string& text, const char* name, std::int64_t most) {
    if (text.empty() || text == "-1") return std::nullopt;
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || read != end || value < 0 || value > most) {
        refuse(std::string(name) + " field misformed");
    }
    return value;
}

std::string hexOf(std::string_view octets) {
    return apps::hexOf(nio::asBytes(octets));
}

std::vector<std::string> receiversOf(const FormFields& fields) {
    const std::string all = fields.text("to");
    if (!fields.has("to")) refuse("Missing receiver number");
    std::vector<std::string> receivers;
    for (std::size_t i = 0; (i = all.find_first_not_of(" \t\r\n", i)) != all.npos;) {
        const std::size_t end = std::min(all.find_first_of(" \t\r\n", i), all.size());
        receivers.push_back(all.substr(i, end - i));
        i = end;
    }
    if (receivers.empty()) refuse("Empty receiver number not allowed");
    const auto isNumber = [](const std::string& text) {
        static const re2::RE2 form(R"(\+?\d{1,20})");
        return re2::RE2::FullMatch(text, form);
    };
    if (!std::all_of(receivers.begin(), receivers.end(), isNumber)) {
        refuse("Receiver number misformed");
    }
    return receivers;
}

// In hexadecimal digits: as they came, or of the octets that came.
std::string headerOf(const FormFields& fields) {
    const std::string header = fields.text("udh");
    const auto lengthOf = [](char first) { return static_cast<unsigned char>(first) + 1u; };
    if (header.empty() || lengthOf(header.front()) == header.size()) return hexOf(header);
    return header;
}

bool isOneOf(const std::string& name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The text as UTF-8.
std::string plainText(const FormFields& fields, std::int64_t coding) {
    const std::string text = fields.text("text");
    std::string charset = fields.text("charset");
    for (char& c : charset) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (charset.empty()) charset = coding == ucs2 ? "utf-16be" : "utf-8";
    if (isOneOf(charset, {"utf-8", "utf8"})) return text;
    if (isOneOf(charset, {"iso-8859-1", "iso8859-1", "latin1", "latin-1"})) {
        return smpp::fromLatin1(nio::asBytes(text));
    }
    const bool isUcs2 = isOneOf(charset, {"utf-16be", "ucs-2be", "ucs-2", "iso-10646-ucs-2"});
    if (!isUcs2 || text.size() % 2 != 0) refuse("Charset or body misformed");
    return smpp::fromUcs2(nio::asBytes(text));
}

// A text with a header of its own, in the octets of that alphabet.
std::string octetsOf(const std::string& text, smpp::Alphabet alphabet) {
    const auto octets = smpp::encoded(text, alphabet);
    if (!octets) refuse("Charset or body misformed");
    return apps::hexOf(octets.value());
}

void addContent(MessageMembers& message, const FormFields& fields) {
    const std::string header = headerOf(fields);
    const auto coding =
        number(fields.text("coding"), "Coding", ucs2).value_or(header.empty() ? septets : octets);
    if (!header.empty()) message.set(Member::udh, header);
    if (coding == octets) {
        message.set(Member::data, hexOf(fields.text("text")));
        return;
    }
    const std::string text = plainText(fields, coding);
    if (header.empty()) {
        message.set(Member::text, text);
        if (coding == ucs2) message.set(Member::encoding, "ucs2");
        return;
    }
    const bool isUcs2 = coding == ucs2;
    message.set(Member::data, octetsOf(text, isUcs2 ? smpp::Alphabet::ucs2 : smpp::Alphabet::gsm));
    message.set(Member::dataCoding, isUcs2 ? 8 : 0);
}

// The data_coding that has a message class, or a message waiting indication: 3GPP TS 23.038, 4.
std::uint8_t codingWith(std::optional<std::int64_t> messageClass, std::int64_t coding,
                        bool isAlternative) {
    if (isAlternative && coding != ucs2) {
        return static_cast<std::uint8_t>(0xF0 | coding << 2 | messageClass.value_or(1));
    }
    return static_cast<std::uint8_t>(coding << 2 | (messageClass ? 0x10 | *messageClass : 0));
}

std::uint8_t indication(std::int64_t mwi, std::int64_t coding, bool hasText) {
    if (mwi >= 4) return static_cast<std::uint8_t>(0xC0 | (mwi & 3));
    const int store = coding == septets ? 0xD0 : 0xE0;
    return static_cast<std::uint8_t>((hasText ? store : 0xC0) | 0x08 | mwi);
}

void setDataCoding(const FormFields& fields, smpp::Segments& segments) {
    const auto messageClass = number(fields.text("mclass"), "MClass", 3);
    const auto mwi = number(fields.text("mwi"), "MWI", 7);
    const bool isAlternative = number(fields.text("alt-dcs"), "Alt-DCS", 1) == 1;
    if (!messageClass && !mwi && !isAlternative) return;
    const std::int64_t coding = segments.dataCoding / 4;
    segments.dataCoding = mwi ? indication(*mwi, coding, !fields.text("text").empty())
                              : codingWith(messageClass, coding, isAlternative);
}

void addCallback(const FormFields& fields, MessageRequest& message) {
    const auto mask = number(textOf(fields, "dlr-mask", "dlrmask"), "DLR-Mask", 63).value_or(0);
    const auto wanted = static_cast<unsigned>(mask);
    constexpr std::uint8_t any = 1, failure = 2, intermediate = 0x10;
    if ((wanted & (kannel::delivered | kannel::buffered)) != 0) {
        message.registeredDelivery = any;
    } else if ((wanted & kannel::failed) != 0) {
        message.registeredDelivery = failure;
    }
    if ((wanted & kannel::intermediate) != 0) message.registeredDelivery |= intermediate;
    const std::string url = textOf(fields, "dlr-url", "dlrurl");
    if (url.empty() || message.registeredDelivery == 0) return;
    message.callback = Callback{WebhookFormat::kannel, url, wanted}.toJson();
}

// What would change the message, and cannot be done here.
void refuseUnsupported(const FormFields& fields) {
    if (number(fields.text("pid"), "PID", 255).value_or(0) != 0) refuse("PID is not supported");
    if (number(fields.text("compress"), "Compress", 1).value_or(0) != 0) {
        refuse("Compress is not supported");
    }
    if (number(fields.text("rpi"), "RPI", 2).value_or(0) != 0) refuse("RPI is not supported");
}

apps::BasicCredentials credentialsOf(const FormFields& fields) {
    return {textOf(fields, "username", "user"), textOf(fields, "password", "pass")};
}

std::vector<MessageRequest> messagesOf(const FormFields& fields, std::uint16_t reference) {
    const std::vector<std::string> receivers = receiversOf(fields);
    refuseUnsupported(fields);
    MessageMembers members;
    members.set(Member::from, fields.text("from"));
    members.set(Member::to, receivers.front());
    addContent(members, fields);
    const auto validity = number(fields.text("validity"), "Validity", longest).value_or(0);
    if (validity > 0) members.set(Member::validity, validity * 60);
    members.set(Member::priority, number(fields.text("priority"), "Priority", 3).value_or(0));
    auto read = messageRequestOf(members, reference);
    if (const auto* problem = std::get_if<Problem>(&read)) throw *problem;
    auto& message = std::get<MessageRequest>(read);
    const auto deferred = number(fields.text("deferred"), "Deferred", longest).value_or(0);
    if (deferred > 0) message.schedule = relativeTime(deferred * 60);
    setDataCoding(fields, message.segments);
    addCallback(fields, message);
    if (receivers.size() * message.segments.parts.size() > MessageRequest::most) {
        refuse("Too many receiver numbers");
    }
    std::vector<MessageRequest> messages(receivers.size(), message);
    for (std::size_t i = 1; i < receivers.size(); ++i) messages[i].to = addressOf(receivers[i]);
    return messages;
}

apps::HttpResponse refusalOf(const Problem& problem) {
    using apps::HttpResponse;
    switch (problem.status) {
        case 401:
        case 403: return HttpResponse::text(403, "Authorization failed for sendsms");
        case 429:
        case 503: return HttpResponse::text(503, "Temporal failure, try again later.");
        default: break;
    }
    if (problem.smpp) return HttpResponse::text(403, "Not routable. Do not try again.");
    return HttpResponse::text(400, problem.detail);
}

apps::HttpResponse answerOf(const std::vector<MessageResult>& results) {
    std::string denied;
    const Problem* first = nullptr;
    bool isAccepted = false;
    for (const MessageResult& result : results) {
        isAccepted = isAccepted || !result.problem;
        if (!result.problem) continue;
        if (first == nullptr) first = &*result.problem;
        denied += " " + result.to;
    }
    if (!isAccepted && first != nullptr) return refusalOf(*first);
    std::string body = "0: Accepted for delivery";
    if (!denied.empty()) body += " Denied receivers are:" + denied;
    return apps::HttpResponse::text(202, std::move(body));
}

}  // namespace

}  // namespace kannel

const FormDoor kannelDoor{"/cgi-bin/sendsms",  &FormFields::of,   &kannel::credentialsOf,
                          &kannel::messagesOf, &kannel::answerOf, &kannel::refusalOf};

}  // namespace router
