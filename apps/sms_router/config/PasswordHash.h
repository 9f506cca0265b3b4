// A password as it is kept: hashed by crypt(3), or by nobody.
//
// check() takes up to tens of milliseconds by design: call it where waiting harms nobody
// (PasswordDesk).
//
// Thread: any; a value.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace router {

class PasswordHash {
  public:
    // What one check costs: modest is some 15 ms; cheap is 1 ms, for a password that stands in the
    // configuration in clear anyway.
    enum class Cost { modest, cheap };

    PasswordHash() = default;  // no password fits
    // As crypt(3) writes it: "$y$…", "$2b$…", "$6$…". isUsable() tells whether crypt knows it.
    explicit PasswordHash(std::string crypted) : crypted_(std::move(crypted)) {}
    // With a new salt, by the system's preferred method (yescrypt where there is one). Throws
    // std::runtime_error where crypt(3) refuses: a NUL in it, or more than 511 octets.
    static PasswordHash of(std::string_view password, Cost cost = Cost::modest);

    // Cheap, and with one salt for this process: the same password gives the same hash, which those
    // who know it already know again. Throws as of().
    static PasswordHash ofPlain(std::string_view password);

    // Known to crypt(3), and whole as far as its length tells.
    bool isUsable() const;
    bool check(std::string_view password) const;
    const std::string& text() const { return crypted_; }

  private:
    std::string crypted_;
};

}  // namespace router
