#include "sms_router/http/MessageBody.h"

#include <simdjson.h>
#include <limits>
#include <new>

namespace router {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using Value = MessageMembers::Value;

std::string textOf(const element& json) {
    return std::string(json.get_string().value_unsafe());
}

Value valueOf(const simdjson::dom::array& json) {
    std::vector<std::string> texts;
    for (const element each : json) {
        if (!each.is_string()) return MessageMembers::Unfit();
        texts.push_back(textOf(each));
    }
    return texts;
}

Value valueOf(const element& json) {
    switch (json.type()) {
        case element_type::NULL_VALUE: return {};
        case element_type::BOOL: return json.get_bool().value_unsafe();
        case element_type::INT64: return json.get_int64().value_unsafe();
        // One that is over INT64_MAX, and over every limit.
        case element_type::UINT64: return std::numeric_limits<std::int64_t>::max();
        case element_type::STRING: return textOf(json);
        case element_type::ARRAY: return valueOf(json.get_array().value_unsafe());
        default: return MessageMembers::Unfit();
    }
}

MessageMembers membersOf(const element& json) {
    if (!json.is_object()) throw Problem{422, "a message must be an object"};
    MessageMembers members;
    const simdjson::dom::object object = json.get_object().value_unsafe();
    for (const auto [name, value] : object) {
        members.set(memberNamed(name), valueOf(value));
    }
    return members;
}

std::string whyUnread(simdjson::error_code error) {
    switch (error) {
        case simdjson::MEMALLOC: throw std::bad_alloc();
        case simdjson::NUMBER_ERROR: return "the body has a number that is malformed or too large";
        case simdjson::DEPTH_ERROR:
            return "the body is nested deeper than " + std::to_string(simdjson::DEFAULT_MAX_DEPTH) +
                   " levels";
        default: return "the body is not JSON";
    }
}

constexpr std::size_t mostKept = std::size_t{256} * 1024;  // octets of a body

}  // namespace

struct MessageBody::Parsed {
    simdjson::dom::parser parser{};
    std::vector<element> messages{};  // in the parser's memory
    bool isOne = false;
};

MessageBody::MessageBody() : parsed_(std::make_unique<Parsed>()) {}

void MessageBody::read(std::string_view json) {
    if (parsed_->parser.capacity() > mostKept) *parsed_ = Parsed();
    parsed_->messages.clear();
    // Some editors and libraries write it: RFC 8259, 8.1.
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (json.starts_with(byteOrderMark)) json.remove_prefix(byteOrderMark.size());
    element body;
    const simdjson::error_code error = parsed_->parser.parse(json.data(), json.size()).get(body);
    if (error != simdjson::SUCCESS) throw Problem{400, whyUnread(error)};
    if (!body.is_object()) throw Problem{400, "the body must be a JSON object"};
    const simdjson::dom::object object = body.get_object().value_unsafe();
    element several;
    parsed_->isOne = object.at_key("messages").get(several) != simdjson::SUCCESS;
    if (parsed_->isOne) {
        parsed_->messages.push_back(body);
        return;
    }
    if (object.size() != 1) throw Problem{400, "beside \"messages\" there may be no other member"};
    if (several.is_array()) {
        const simdjson::dom::array array = several.get_array().value_unsafe();
        parsed_->messages.assign(array.begin(), array.end());
    }
    if (size() == 0) throw Problem{400, "\"messages\" must be an array of one message at least"};
    if (size() > MessageRequest::most) {
        throw Problem{413, "\"messages\" has " + std::to_string(size()) +
                               " messages; the maximum is " + std::to_string(MessageRequest::most)};
    }
}

MessageBody::~MessageBody() = default;

bool MessageBody::isOne() const {
    return parsed_->isOne;
}

std::size_t MessageBody::size() const {
    return parsed_->messages.size();
}

std::variant<MessageRequest, Problem> MessageBody::messageAt(std::size_t index,
                                                             std::uint16_t reference) const try {
    return messageRequestOf(membersOf(parsed_->messages[index]), reference);
} catch (Problem& problem) {
    return std::move(problem);
}

}  // namespace router
