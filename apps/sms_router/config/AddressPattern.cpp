#include "sms_router/config/AddressPattern.h"

#include <re2/re2.h>

namespace router {

namespace {

constexpr std::size_t maximumPattern = 1000;
constexpr std::int64_t expressionMemory = 256 * 1024;

re2::RE2::Options quietly() {
    // Addresses are octets, not always UTF-8.
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_log_errors(false);
    options.set_max_mem(expressionMemory);
    return options;
}

bool isExpression(std::string_view text) {
    return text.starts_with('/');
}

}  // namespace

std::optional<AddressPattern> AddressPattern::parse(std::string_view text, std::string& problem) {
    AddressPattern pattern;
    pattern.text_ = text;
    if (text.empty()) {
        problem = "the pattern is empty";
    } else if (text.size() > maximumPattern) {
        problem = "the pattern is longer than 1000 octets";
    } else if (isExpression(text)) {
        if (text.size() < 2 || !text.ends_with('/'))
            problem = "the expression's closing \"/\" is missing";
        else if (pattern.compile(text.substr(1, text.size() - 2), problem))
            return pattern;
    } else if (text.find('*') < text.size() - 1) {
        problem = "\"*\" is only allowed at the end";
    } else {
        pattern.kind_ = text.ends_with('*') ? Kind::prefix : Kind::exact;
        pattern.fixed_ = text.substr(0, text.find('*'));
        pattern.hasPlus_ = text.starts_with('+');
        return pattern;
    }
    return std::nullopt;
}

bool AddressPattern::compile(std::string_view expression, std::string& problem) {
    kind_ = Kind::expression;
    hasPlus_ =
        expression.find("\\+") != expression.npos || expression.find("[+") != expression.npos;
    expression_ = std::make_shared<const re2::RE2>(
        re2::StringPiece(expression.data(), expression.size()), quietly());
    if (!expression_->ok()) problem = expression_->error();
    return expression_->ok();
}

bool AddressPattern::isFoundIn(std::string_view address) const {
    return expression_->Match(re2::StringPiece(address.data(), address.size()), 0, address.size(),
                              re2::RE2::UNANCHORED, nullptr, 0);
}

}  // namespace router
