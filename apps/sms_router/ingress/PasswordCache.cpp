#include "sms_router/ingress/PasswordCache.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <stdexcept>

namespace router {

PasswordCache::PasswordCache(std::size_t maximum) : maximum_(maximum) {
    if (::RAND_bytes(key_.data(), static_cast<int>(key_.size())) != 1) {
        throw std::runtime_error("cannot get random bytes for the password cache");
    }
}

bool PasswordCache::knows(const std::string& crypted, std::string_view password) const {
    const Digest digest = digestOf(crypted, password);
    std::lock_guard lock(mutex_);
    const auto found = digests_.find(crypted);
    return found != digests_.end() &&
           ::CRYPTO_memcmp(found->second.data(), digest.data(), digest.size()) == 0;
}

void PasswordCache::wasRight(const std::string& crypted, std::string_view password) {
    const Digest digest = digestOf(crypted, password);
    std::lock_guard lock(mutex_);
    if (maximum_ == 0) return;
    if (digests_.size() >= maximum_ && !digests_.contains(crypted)) digests_.clear();
    digests_[crypted] = digest;
}

PasswordCache::Digest PasswordCache::digestOf(const std::string& crypted,
                                              std::string_view password) const {
    // The hash has no NUL: so no two pairs make one text.
    const std::string text = crypted + '\0' + std::string(password);
    Digest digest{};
    unsigned length = 0;
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    if (::HMAC(::EVP_sha256(), key_.data(), static_cast<int>(key_.size()), data, text.size(),
               digest.data(), &length) == nullptr) {
        throw std::runtime_error("HMAC-SHA256 failed");
    }
    return digest;
}

}  // namespace router
