// Addresses that belong together: an exact one, a prefix, or a regular expression.
//
//     12345        that address
//     4179*        all that begin so ("*" alone: all)
//     /^41(76|79)/ all in which the expression is found (RE2 syntax)
//
// Matching takes time linear in the address; a leading "+" of the address is not looked at unless
// the pattern has one (an expression: as "\+" or "[+").
//
// Limits: a pattern has up to 1,000 octets, a compiled expression 256 KiB.
//
// Thread: any; a value that shares its compiled expression.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace router {

class AddressPattern {
  public:
    // Nothing: no such pattern; `problem` says why.
    static std::optional<AddressPattern> parse(std::string_view text, std::string& problem);

    bool matches(std::string_view address) const {
        if (!hasPlus_ && address.starts_with('+')) address.remove_prefix(1);
        if (kind_ == Kind::prefix) return address.starts_with(fixed_);
        return kind_ == Kind::exact ? address == fixed_ : isFoundIn(address);
    }
    const std::string& text() const { return text_; }
    // Whether it is one address, and no other; then text() is that address.
    bool isExact() const { return kind_ == Kind::exact; }

  private:
    enum class Kind { exact, prefix, expression };

    bool compile(std::string_view expression, std::string& problem);
    bool isFoundIn(std::string_view address) const;

    std::string text_;
    Kind kind_ = Kind::exact;
    std::string fixed_;
    bool hasPlus_ = false;
    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace router
