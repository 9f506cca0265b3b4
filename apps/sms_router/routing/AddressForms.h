// An address in the forms by which rules know it: "0041 79…", "+41-79…" and "(0)79…" may be the
// same number. What is sent to the SMSC stays as it came.
//
// The usual forms mean the same number beyond doubt (separators, a leading "+", the international
// prefix; where the country is configured, the national prefix). The doubtful ones are other
// numbers for which an SMSC may take it. Rules that reject compare these, too, so that no spelling
// evades them. What is no number may become one on its way ("O900", full-width digits), or several
// ("4179…,0900…"): as a destination it falls under every rule that rejects numbers.
//
// Thread: one at a time; a value that does not move. Lifetime: as long as the address and the plan.
// Limits: no allocation for a number of up to 15 digits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sms_router/config/AddressPattern.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

class AddressForms {
  public:
    enum class Choice : std::uint8_t { usual, doubtfulToo, noNumbersToo };

    static constexpr std::uint8_t unknownTon = 0;

    AddressForms(std::string_view address, const NumberingPlan& plan,
                 std::uint8_t ton = unknownTon);
    AddressForms(const AddressForms&) = delete;
    AddressForms& operator=(const AddressForms&) = delete;

    bool match(const AddressPattern& pattern, Choice choice) const;
    // The address as it came, then the other usual forms.
    std::size_t usualForms() const { return usual_ + 1; }
    std::string_view usualForm(std::size_t index) const {
        return index == 0 ? address_ : form(index - 1);
    }
    // In the international form where that is known, else as it came; digits, without "+".
    // What is no number beyond doubt: the address.
    std::string_view number() const;

  private:
    static constexpr std::size_t most = 64;      // addDoubtful() may find 57
    static constexpr std::size_t longest = 320;  // a field has up to 255 octets

    struct Digits;
    struct Form {
        std::uint16_t begin;
        std::uint16_t size;
    };
    void addUsual(const Digits& number) const;
    void addDoubtful() const;
    void add(std::string_view form) const;
    void addInternational(const std::string& digits) const;
    void addAbroad(const std::string& digits) const;
    std::string_view form(std::size_t index) const {
        return {octets_.data() + forms_[index].begin, forms_[index].size};
    }

    std::string_view address_;
    const NumberingPlan& plan_;
    const bool isNational_;
    const bool mayBeNational_;  // the network's own number
    bool isNoNumber_ = false;
    std::size_t usual_ = 0;
    mutable bool hasDoubtful_ = false;  // that are not found yet: few rules reject
    mutable std::size_t count_ = 0;
    // Left as they are where there is no other form.
    mutable std::array<Form, most> forms_;
    mutable std::array<char, most * longest> octets_;
};

// A number and nothing else: digits, at most one "+" in front.
bool isPlainNumber(std::string_view address);

}  // namespace router
