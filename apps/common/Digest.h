// Digests and keys for what is served over HTTP.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>

namespace apps {

// As a Content-Security-Policy names an inline script or style: "sha256-…".
std::string policyHash(std::string_view text);
// 256 bits that cannot be predicted. Errors: std::runtime_error, if there are none.
std::string randomKey();
// SHA-256, in hexadecimal.
std::string digestOf(std::string_view text);
// HMAC-SHA-256, in hexadecimal.
std::string keyedDigest(std::string_view key, std::string_view text);
// Takes the same time wherever they differ, also for texts of different length.
bool equalInConstantTime(std::string_view a, std::string_view b);

}  // namespace apps
