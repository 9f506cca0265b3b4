#include "sms_router/config/PasswordHash.h"

#include <crypt.h>
#include <openssl/crypto.h>

#include <memory>
#include <stdexcept>

namespace router {

namespace {

// The costs of methods do not compare: a number is said only to the one that it was measured with.
constexpr std::string_view yescrypt = "$y$";
constexpr unsigned long modestYescrypt = 5;
constexpr unsigned long cheapYescrypt = 1;

struct Method {
    std::string_view prefix;
    std::size_t hashLength;  // behind the last '$'
};

constexpr Method methods[] = {{"$y$", 43}, {"$gy$", 43}, {"$7$", 43},  {"$6$", 86}, {"$5$", 43},
                              {"$1$", 22}, {"$2a$", 53}, {"$2b$", 53}, {"$2y$", 53}};

unsigned long costOf(std::string_view method, PasswordHash::Cost cost) {
    if (method != yescrypt) return 0;
    return cost == PasswordHash::Cost::cheap ? cheapYescrypt : modestYescrypt;
}

std::string newSalt(PasswordHash::Cost cost) {
    const char* preferred = ::crypt_preferred_method();
    const std::string method = preferred == nullptr ? "$6$" : preferred;
    char salt[CRYPT_GENSALT_OUTPUT_SIZE];
    if (::crypt_gensalt_rn(method.c_str(), costOf(method, cost), nullptr, 0, salt, sizeof salt) ==
        nullptr) {
        throw std::runtime_error("crypt(3) cannot generate a salt");
    }
    return salt;
}

// Empty: crypt(3) refuses.
std::string crypted(std::string_view password, const std::string& setting) {
    // crypt(3) would take what stands before a NUL for the whole.
    if (password.find('\0') != std::string_view::npos) return {};
    const auto data = std::make_unique<crypt_data>();
    const char* result = ::crypt_r(std::string(password).c_str(), setting.c_str(), data.get());
    const std::string text = result == nullptr || result[0] == '*' ? "" : result;
    ::OPENSSL_cleanse(data.get(), sizeof(crypt_data));
    return text;
}

PasswordHash salted(std::string_view password, const std::string& salt) {
    std::string text = crypted(password, salt);
    if (text.empty()) throw std::runtime_error("crypt(3) rejected the password");
    return PasswordHash(std::move(text));
}

bool isCut(std::string_view crypted) {
    for (const Method& method : methods) {
        if (!crypted.starts_with(method.prefix)) continue;
        return crypted.size() - crypted.rfind('$') - 1 != method.hashLength;
    }
    return false;
}

}  // namespace

PasswordHash PasswordHash::of(std::string_view password, Cost cost) {
    return salted(password, newSalt(cost));
}

PasswordHash PasswordHash::ofPlain(std::string_view password) {
    static const std::string salt = newSalt(Cost::cheap);
    return salted(password, salt);
}

bool PasswordHash::isUsable() const {
    // To crypt(3), many a plain word is a hash of the oldest kind.
    if (!crypted_.starts_with('$')) return false;
    const int salt = ::crypt_checksalt(crypted_.c_str());
    const bool known =
        salt == CRYPT_SALT_OK || salt == CRYPT_SALT_METHOD_LEGACY || salt == CRYPT_SALT_TOO_CHEAP;
    return known && !isCut(crypted_);
}

bool PasswordHash::check(std::string_view password) const {
    if (crypted_.empty()) return false;
    const std::string other = crypted(password, crypted_);
    return other.size() == crypted_.size() &&
           ::CRYPTO_memcmp(other.data(), crypted_.data(), other.size()) == 0;
}

}  // namespace router
