#include "sms_router/routing/AddressForms.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace router {

namespace {

constexpr std::uint8_t nationalTon = 2;
constexpr std::uint8_t networkTon = 3;
constexpr std::uint8_t subscriberTon = 4;
// Short codes have these types, too.
constexpr std::size_t longestShortCode = 6;
constexpr std::string_view separators = " \t-.()/";
// "+41 (0)79 …": the national prefix, which is not dialled from abroad.
constexpr std::string_view optionalZero = "(0)";

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
}

// Digits among what does not separate them, or such of another script. A name has no digits.
bool hasMoreThanANumber(std::string_view address) {
    bool hasDigits = false;
    bool hasOthers = false;
    for (std::size_t i = 0; i < address.size(); ++i) {
        const char c = address[i];
        if (static_cast<unsigned char>(c) > 127) return true;
        const bool isFirstPlus = c == '+' && !hasDigits && address.find('+') == i;
        if (isDigit(c))
            hasDigits = true;
        else if (!isFirstPlus && separators.find(c) == separators.npos)
            hasOthers = true;
    }
    return hasDigits && hasOthers;
}

// Not one for names.
bool isForNumbers(const AddressPattern& pattern) {
    const std::string& text = pattern.text();
    if (!text.starts_with('/')) return isDigit(text.front()) || text.front() == '+';
    return std::any_of(text.begin(), text.end(), isDigit) || text.find("\\d") != text.npos;
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
std::optional<std::string_view> behind(std::string_view digits, std::string_view prefix) {
    if (prefix.empty()) return std::nullopt;
    if (digits.starts_with('0')) {
        digits = withoutZeros(digits);
        prefix = withoutZeros(prefix);
    }
    if (!digits.starts_with(prefix)) return std::nullopt;
    return withoutZeros(digits.substr(prefix.size()));
}

}  // namespace

struct AddressForms::Digits {
    explicit Digits(std::string_view address) : all(digitsOf(address)) {
        if (all.empty()) return;
        hasPlus = address.find('+') < address.find(all.front());
        hasLetters = std::any_of(address.begin(), address.end(), isLetter);
        const std::size_t zero = address.find(optionalZero);
        if (zero == address.npos || zero == 0) return;
        withoutOptionalZero = digitsOf(address.substr(0, zero)) +
                              digitsOf(address.substr(zero + optionalZero.size()));
    }

    std::string all;
    std::string withoutOptionalZero{};  // empty: there is none
    bool hasPlus = false;
    bool hasLetters = false;
};

AddressForms::AddressForms(std::string_view address, const NumberingPlan& plan, std::uint8_t ton)
    : address_(address),
      plan_(plan),
      isNational_(ton == nationalTon),
      mayBeNational_(isNational_ || ((ton == networkTon || ton == subscriberTon) &&
                                     address.size() > longestShortCode)) {
    const bool isPlain =
        std::all_of(address.begin(), address.end(), [](char c) { return isDigit(c); });
    isNoNumber_ = !isPlain && hasMoreThanANumber(address);
    const bool isDone = !address.starts_with('0') && plan.countryCode.empty() &&
                        !hasPrefix(address, plan.internationalPrefix) && !mayBeNational_;
    if (address.empty() || (isPlain && isDone)) return;
    const Digits number(address);
    hasDoubtful_ = !number.all.empty();
    if (hasDoubtful_ && !number.hasLetters) addUsual(number);
    usual_ = count_;
}

void AddressForms::add(std::string_view form) const {
    if (form.empty() || form.size() > longest || count_ == most) return;
    for (std::size_t i = 0; i < count_; ++i)
        if (this->form(i) == form) return;
    const std::size_t begin = count_ == 0 ? 0 : forms_[count_ - 1].begin + forms_[count_ - 1].size;
    std::copy(form.begin(), form.end(), octets_.begin() + static_cast<std::ptrdiff_t>(begin));
    forms_[count_++] = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(form.size())};
}

// With "+" for patterns that have one; the others do not look at it.
void AddressForms::addInternational(const std::string& digits) const {
    if (digits.empty()) return;
    add("+" + digits);
    if (!hasPrefix(digits, plan_.countryCode)) return;
    add(plan_.nationalPrefix + without(digits, plan_.countryCode));
}

void AddressForms::addUsual(const Digits& number) const {
    const std::string& all = number.all;
    add(all);
    if (number.hasPlus) {
        addInternational(all);
        return addInternational(number.withoutOptionalZero);
    }
    if (hasPrefix(all, plan_.internationalPrefix)) {
        addInternational(without(all, plan_.internationalPrefix));
        if (!hasPrefix(number.withoutOptionalZero, plan_.internationalPrefix)) return;
        return addInternational(without(number.withoutOptionalZero, plan_.internationalPrefix));
    }
    if (plan_.countryCode.empty()) return;
    if (hasPrefix(all, plan_.nationalPrefix)) {
        return addInternational(plan_.countryCode + without(all, plan_.nationalPrefix));
    }
    addInternational(isNational_ ? plan_.countryCode + all : all);
}

// A network may ignore zeros and the national prefix that follow the country code.
void AddressForms::addAbroad(const std::string& digits) const {
    addInternational(digits);
    if (!hasPrefix(digits, plan_.countryCode)) return;
    const std::string_view rest = std::string_view(digits).substr(plan_.countryCode.size());
    const std::string_view bare = withoutZeros(rest);
    if (bare != rest) addInternational(plan_.countryCode + std::string(bare));
    const auto own = behind(rest, plan_.nationalPrefix);
    if (own && *own != bare) addInternational(plan_.countryCode + std::string(*own));
}

void AddressForms::addDoubtful() const {
    hasDoubtful_ = false;
    const Digits number(address_);
    for (const std::string& digits : {number.all, number.withoutOptionalZero}) {
        add(digits);
        const std::string bare(withoutZeros(digits));
        if (bare.empty()) continue;
        addAbroad(bare);
        const auto abroad = behind(digits, plan_.internationalPrefix);
        if (abroad && *abroad != bare) addAbroad(std::string(*abroad));
        const auto own = behind(digits, plan_.nationalPrefix);
        if (own && *own != bare && !plan_.countryCode.empty()) {
            addAbroad(plan_.countryCode + std::string(*own));
        }
        if (digits.starts_with('0') || mayBeNational_) {
            add(plan_.nationalPrefix + bare);
            addAbroad(plan_.countryCode + bare);
        }
    }
}

bool AddressForms::match(const AddressPattern& pattern, Choice choice) const {
    if (pattern.matches(address_)) return true;
    if (choice == Choice::noNumbersToo && isNoNumber_ && isForNumbers(pattern)) return true;
    if (choice != Choice::usual && hasDoubtful_) addDoubtful();
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
