#include "sms_router/config/ApiKey.h"

#include "common/Digest.h"

namespace router {

namespace {

constexpr std::string_view scheme = "sha256:";

}  // namespace

std::string newApiKey() {
    return "nio_" + apps::keyedDigest(apps::randomKey(), {});
}

std::string apiKeyDigest(std::string_view key) {
    return std::string(scheme) + apps::digestOf(key);
}

bool isApiKeyDigest(std::string_view text) {
    if (!text.starts_with(scheme)) return false;
    text.remove_prefix(scheme.size());
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace router
