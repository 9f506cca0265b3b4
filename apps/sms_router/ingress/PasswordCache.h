// The last right password of each hash, so that a thousand binds of one account do not take a
// thousand hashes. It keeps no password, but an HMAC-SHA256 of it with a key that this process has
// drawn at random; a wrong password is never kept.
//
// Thread: any; a lock is held for a look-up in a map.
// Limit: `maximum` hashes; one more empties it.
// Errors: the constructor throws std::runtime_error (no random numbers).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace router {

class PasswordCache {
  public:
    explicit PasswordCache(std::size_t maximum);

    // This password was right for this hash, as crypt(3) writes it.
    bool knows(const std::string& crypted, std::string_view password) const;
    void wasRight(const std::string& crypted, std::string_view password);

  private:
    using Digest = std::array<std::uint8_t, 32>;

    Digest digestOf(const std::string& crypted, std::string_view password) const;

    const std::size_t maximum_;
    Digest key_{};
    mutable std::mutex mutex_;
    std::map<std::string, Digest, std::less<>> digests_;  // under mutex_
};

}  // namespace router
