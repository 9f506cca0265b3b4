// Jasmin's /send.
#include <re2/re2.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "common/Hex.h"
#include "sms_router/http/Callback.h"
#include "sms_router/http/FormDoor.h"

namespace router {

namespace jasmin {

namespace {

using nlohmann::json;

// What the value of an argument must be.
using Forms = std::map<std::string, re2::RE2, std::less<>>;

const Forms& forms() {
    static const Forms all = [] {
        constexpr const char* any = "(?s).*";
        Forms made;
        for (const auto& [name, form] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"to", R"(\+?\d+)"},
                 {"username", any},
                 {"password", any},
                 {"from", any},
                 {"coding", "[0-9]|10|13|14"},
                 {"priority", "[0-3]"},
                 {"sdt", R"(\d{15}[-+R])"},
                 {"validity-period", R"(\d{1,5})"},
                 {"dlr", "yes|no"},
                 {"dlr-url", "https?://.*"},
                 {"dlr-level", "[1-3]"},
                 {"dlr-method", "(?i)get|post"},
                 {"tags", "[-a-zA-Z0-9,]*"},
                 {"content", any},
                 {"hex-content", any}}) {
            re2::RE2::Options options;
            options.set_encoding(re2::RE2::Options::EncodingLatin1);
            made.try_emplace(name, form, options);
        }
        return made;
    }();
    return all;
}

[[noreturn]] void refuse(const std::string& what) {
    throw Problem{422, what};
}

void check(const FormFields& fields) {
    if (fields.all().empty()) {
        refuse("Mandatory arguments not found, please refer to the HTTPAPI specifications.");
    }
    for (const auto& [name, value] : fields.all()) {
        const auto known = forms().find(name);
        if (known == forms().end()) refuse("Argument [" + name + "] is unknown.");
        if (!re2::RE2::FullMatch(value, known->second)) {
            refuse("Argument [" + name + "] has an invalid value: [" + value + "].");
        }
    }
    for (const char* mandatory : {"to", "username", "password"}) {
        if (!fields.has(mandatory)) {
            refuse("Mandatory argument [" + std::string(mandatory) + "] is not found.");
        }
    }
    const bool hasText = fields.has("content");
    if (!hasText && !fields.has("hex-content")) refuse("content or hex-content not present.");
    if (hasText && fields.has("hex-content")) {
        refuse("content and hex-content cannot be used both in same request.");
    }
}

// Strings and numbers, as if they were a form's.
void addJson(FormFields& fields, const std::string& body) {
    const json object = json::parse(body, nullptr, false);
    if (!object.is_object()) throw Problem{400, "the body is not a JSON object"};
    for (const auto& [name, value] : object.items()) {
        if (value.is_structured()) refuse("Argument [" + name + "] must be a string or a number.");
        fields.add(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
}

FormFields fieldsOf(const apps::HttpRequest& request) {
    FormFields fields = FormFields::of(request);
    if (hasMediaType(request, "application/json")) addJson(fields, request.body);
    check(fields);
    return fields;
}

apps::BasicCredentials credentialsOf(const FormFields& fields) {
    return {fields.text("username"), fields.text("password")};
}

// Of coding 0 a content is UTF-8; of others it is octets already.
void addContent(MessageMembers& message, const FormFields& fields) {
    const int coding = fields.has("coding") ? std::stoi(fields.text("coding")) : 0;
    if (coding == 0 && fields.has("content")) {
        message.set(Member::text, fields.text("content"));
        return;
    }
    message.set(Member::data, fields.has("content")
                                  ? apps::hexOf(nio::asBytes(fields.text("content")))
                                  : fields.text("hex-content"));
    message.set(Member::dataCoding, coding);
}

void addCallback(const FormFields& fields, MessageRequest& message) {
    const bool isNamed = fields.has("dlr-url") || fields.has("dlr-level");
    if (!isNamed && fields.text("dlr") != "yes") return;
    const std::string level = fields.text("dlr-level");
    // The answer says what a callback of level 1 says.
    if (level.empty() || level == "1") return;
    message.registeredDelivery = 1;
    if (!fields.has("dlr-url")) return;
    const std::string method = fields.text("dlr-method");
    const bool isGet = !method.empty() && (method.front() == 'g' || method.front() == 'G');
    const auto wanted = static_cast<unsigned>(level.front() - '0');
    message.callback =
        Callback{WebhookFormat::jasmin, fields.text("dlr-url"), wanted, isGet}.toJson();
}

std::vector<MessageRequest> messagesOf(const FormFields& fields, std::uint16_t reference) {
    MessageMembers members;
    members.set(Member::from, fields.text("from"));
    members.set(Member::to, fields.text("to"));
    addContent(members, fields);
    if (fields.has("priority")) members.set(Member::priority, std::stoi(fields.text("priority")));
    if (fields.has("validity-period")) {
        members.set(Member::validity, 60 * std::stoll(fields.text("validity-period")));
    }
    auto read = messageRequestOf(members, reference);
    if (const auto* problem = std::get_if<Problem>(&read)) throw *problem;
    auto& message = std::get<MessageRequest>(read);
    message.schedule = fields.text("sdt");
    addCallback(fields, message);
    return {std::move(message)};
}

apps::HttpResponse error(int status, const std::string& what) {
    return apps::HttpResponse::text(status, "Error \"" + what + "\"");
}

apps::HttpResponse refusalOf(const Problem& problem) {
    using smpp::Status;
    if (problem.status == 401) return error(403, "Authentication failure");
    if (problem.smpp == Status::throttled) return error(403, "User throughput exceeded");
    if (problem.smpp == Status::invDstAdr) return error(412, "No route found");
    if (problem.smpp) return error(500, "Cannot send submit_sm: " + problem.detail);
    return error(problem.status == 422 ? 400 : problem.status, problem.detail);
}

apps::HttpResponse answerOf(const std::vector<MessageResult>& results) {
    const MessageResult& result = results.front();
    if (result.problem) return refusalOf(*result.problem);
    return apps::HttpResponse::text(200, "Success \"" + result.id + "\"");
}

}  // namespace

}  // namespace jasmin

const FormDoor jasminDoor{
    "/send",           &jasmin::fieldsOf, &jasmin::credentialsOf, &jasmin::messagesOf,
    &jasmin::answerOf, &jasmin::refusalOf};

}  // namespace router
