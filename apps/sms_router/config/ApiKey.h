// The keys by which applications show over HTTP whose they are: 256 random bits, so that a digest
// which costs little is enough. Configuration and router know the digest only.
//
// Thread: any; pure but newApiKey().
#pragma once

#include <string>
#include <string_view>

namespace router {

// "nio_" and 64 hexadecimal digits. Errors: std::runtime_error, the system has no random numbers.
std::string newApiKey();
// "sha256:" and 64 hexadecimal digits, in lower case.
std::string apiKeyDigest(std::string_view key);
bool isApiKeyDigest(std::string_view text);

}  // namespace router
