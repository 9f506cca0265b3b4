#include "sms_router/routing/AddressForms.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace router {

namespace {

constexpr std::uint8_t nationalTon = 2;
// "+41 (0)79 …": the national prefix, which is not dialled from abroad.
constexpr std::string_view optionalZero = "(0)";

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
}

std::string digitsOf(std::string_view text) {
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), isDigit);
    return digits;
}

bool hasPrefix(std::string_view text, std::string_view prefix) {
    return !prefix.empty() && text.starts_with(prefix);
}

std::string without(std::string_view text, std::string_view prefix) {
    return std::string(text.substr(prefix.size()));
}

std::string_view withoutZeros(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('0'), text.size()));
}

// What follows the prefix, however many zeros are in front of either.
std::optional<std::string> behind(std::string_view digits, std::string_view prefix) {
    if (prefix.empty()) return std::nullopt;
    if (digits.starts_with('0')) {
        digits = withoutZeros(digits);
        prefix = withoutZeros(prefix);
    }
    if (!digits.starts_with(prefix)) return std::nullopt;
    return std::string(withoutZeros(digits.substr(prefix.size())));
}

}  // namespace

struct AddressForms::Digits {
    std::string all;
    std::string withoutOptionalZero;  // empty: there is none
    bool isNational = false;          // by its TON
    bool hasPlus = false;
    bool hasLetters = false;
};

AddressForms::AddressForms(std::string_view address, const NumberingPlan& plan, std::uint8_t ton)
    : address_(address) {
    const bool isPlain = std::all_of(address.begin(), address.end(), isDigit);
    const bool isDone = !address.starts_with('0') && plan.countryCode.empty() &&
                        !hasPrefix(address, plan.internationalPrefix) && ton != nationalTon;
    if (address.empty() || (isPlain && isDone)) return;
    Digits number;
    number.all = digitsOf(address);
    if (number.all.empty()) return;
    number.isNational = ton == nationalTon;
    number.hasPlus = address.find('+') < address.find(number.all.front());
    number.hasLetters = std::any_of(address.begin(), address.end(), isLetter);
    if (const std::size_t zero = address.find(optionalZero); zero != address.npos && zero > 0) {
        number.withoutOptionalZero = digitsOf(address.substr(0, zero)) +
                                     digitsOf(address.substr(zero + optionalZero.size()));
    }
    if (!number.hasLetters) addUsual(number, plan);
    usual_ = count_;
    addDoubtful(number, plan);
}

void AddressForms::add(std::string_view form) {
    if (form.empty() || form.size() > longest || count_ == most) return;
    for (std::size_t i = 0; i < count_; ++i)
        if (this->form(i) == form) return;
    const std::size_t begin = count_ == 0 ? 0 : forms_[count_ - 1].begin + forms_[count_ - 1].size;
    std::copy(form.begin(), form.end(), octets_.begin() + static_cast<std::ptrdiff_t>(begin));
    forms_[count_++] = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(form.size())};
}

// With "+" for patterns that have one; the others do not look at it.
void AddressForms::addInternational(const std::string& digits, const NumberingPlan& plan) {
    if (digits.empty()) return;
    add("+" + digits);
    if (!hasPrefix(digits, plan.countryCode)) return;
    add(plan.nationalPrefix + without(digits, plan.countryCode));
}

void AddressForms::addUsual(const Digits& number, const NumberingPlan& plan) {
    const std::string& all = number.all;
    add(all);
    if (number.hasPlus) {
        addInternational(all, plan);
        return addInternational(number.withoutOptionalZero, plan);
    }
    if (hasPrefix(all, plan.internationalPrefix)) {
        addInternational(without(all, plan.internationalPrefix), plan);
        if (!hasPrefix(number.withoutOptionalZero, plan.internationalPrefix)) return;
        return addInternational(without(number.withoutOptionalZero, plan.internationalPrefix),
                                plan);
    }
    if (plan.countryCode.empty()) return;
    if (hasPrefix(all, plan.nationalPrefix)) {
        return addInternational(plan.countryCode + without(all, plan.nationalPrefix), plan);
    }
    addInternational(number.isNational ? plan.countryCode + all : all, plan);
}

// Behind the country code, zeros and the national prefix are dialled in vain.
void AddressForms::addAbroad(const std::string& digits, const NumberingPlan& plan) {
    addInternational(digits, plan);
    if (!hasPrefix(digits, plan.countryCode)) return;
    const std::string rest = without(digits, plan.countryCode);
    addInternational(plan.countryCode + std::string(withoutZeros(rest)), plan);
    if (const auto own = behind(rest, plan.nationalPrefix)) {
        addInternational(plan.countryCode + *own, plan);
    }
}

void AddressForms::addDoubtful(const Digits& number, const NumberingPlan& plan) {
    for (const std::string& digits : {number.all, number.withoutOptionalZero}) {
        add(digits);
        const std::string bare(withoutZeros(digits));
        if (bare.empty()) continue;
        addAbroad(bare, plan);
        if (const auto rest = behind(digits, plan.internationalPrefix)) addAbroad(*rest, plan);
        if (const auto rest = behind(digits, plan.nationalPrefix);
            rest && !plan.countryCode.empty())
            addAbroad(plan.countryCode + *rest, plan);
        if (digits.starts_with('0') || number.isNational) {
            add(plan.nationalPrefix + bare);
            addAbroad(plan.countryCode + bare, plan);
        }
    }
}

bool AddressForms::match(const AddressPattern& pattern, Choice choice) const {
    if (pattern.matches(address_)) return true;
    const std::size_t count = choice == Choice::usual ? usual_ : count_;
    for (std::size_t i = 0; i < count; ++i)
        if (pattern.matches(form(i))) return true;
    return false;
}

// The last one has no "(0)".
std::string_view AddressForms::number() const {
    for (std::size_t i = usual_; i-- > 0;)
        if (form(i).starts_with('+')) return form(i).substr(1);
    return usual_ == 0 ? address_ : form(0);
}

bool isPlainNumber(std::string_view address) {
    if (address.starts_with('+')) address.remove_prefix(1);
    return !address.empty() && std::all_of(address.begin(), address.end(), isDigit);
}

}  // namespace router
