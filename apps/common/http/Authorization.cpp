#include "common/http/Authorization.h"

#include <openssl/evp.h>
#include <strings.h>

#include <algorithm>

namespace apps {

namespace {

std::optional<std::string> fromBase64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    // OpenSSL takes any number of "=" in any place for zeros.
    const std::size_t padding = text.size() - std::min(text.find('='), text.size());
    if (padding > 2 || (padding == 2 && text.back() != '=')) return std::nullopt;
    std::string octets(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(octets.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size != static_cast<int>(octets.size())) return std::nullopt;
    octets.resize(octets.size() - padding);
    return octets;
}

}  // namespace

std::optional<std::string_view> credentialsOf(const HttpRequest& request, std::string_view scheme) {
    const std::string_view header = request.header("authorization");
    const std::size_t size = scheme.size();
    if (header.size() <= size || header[size] != ' ') return std::nullopt;
    if (strncasecmp(header.data(), scheme.data(), size) != 0) return std::nullopt;
    return header.substr(std::min(header.find_first_not_of(' ', size), header.size()));
}

std::optional<BasicCredentials> basicCredentialsOf(const HttpRequest& request) {
    const auto credentials = credentialsOf(request, "basic");
    if (!credentials) return std::nullopt;
    const auto decoded = fromBase64(*credentials);
    if (!decoded) return std::nullopt;
    const std::size_t colon = decoded->find(':');
    if (colon == decoded->npos) return std::nullopt;
    return BasicCredentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

}  // namespace apps
