#include "common/Digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <span>
#include <stdexcept>

#include "common/Hex.h"

namespace apps {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

const unsigned char* octets(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Digest sha256(std::string_view text) {
    // SHA256() would look for it each time, which costs more than the digest of a key.
    static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    Digest digest{};
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, algorithm, nullptr) != 1) {
        throw std::runtime_error("no SHA-256");
    }
    return digest;
}

}  // namespace

std::string digestOf(std::string_view text) {
    const Digest digest = sha256(text);
    return hexOf(std::as_bytes(std::span(digest)));
}

std::string policyHash(std::string_view text) {
    const Digest digest = sha256(text);
    std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> encoded{};
    EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
    return std::string("sha256-") + reinterpret_cast<const char*>(encoded.data());
}

std::string randomKey() {
    Digest key{};
    if (::RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) {
        throw std::runtime_error("the system has no random numbers");
    }
    return {key.begin(), key.end()};
}

std::string keyedDigest(std::string_view key, std::string_view text) {
    Digest digest{};
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), octets(text), text.size(),
         digest.data(), nullptr);
    return hexOf(std::as_bytes(std::span(digest)));
}

bool equalInConstantTime(std::string_view a, std::string_view b) {
    const Digest first = sha256(a);
    const Digest second = sha256(b);
    return CRYPTO_memcmp(first.data(), second.data(), first.size()) == 0;
}

}  // namespace apps
