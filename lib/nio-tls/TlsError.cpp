#include <nio-tls/TlsError.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace nio {

namespace {

struct Reason {
    unsigned long code = 0;
    std::string text;
};

// "no start line" says little to who wrote a configuration.
const char* inOtherWords(unsigned long code) {
    const int reason = ERR_GET_REASON(code);
    if (reason == ERR_R_INTERRUPTED_OR_CANCELLED) return "it is protected by a passphrase";
    if (ERR_GET_LIB(code) == ERR_LIB_PEM && reason == PEM_R_NO_START_LINE) {
        return "no such item in PEM format";
    }
    if (ERR_GET_LIB(code) != ERR_LIB_SSL) return nullptr;
    switch (reason) {
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_HTTP_REQUEST:
        case SSL_R_HTTPS_PROXY_REQUEST: return "the peer does not speak TLS";
        default: return nullptr;
    }
}

Reason takeReason(unsigned long code) {
    const char* words = inOtherWords(code);
    const char* said = code == 0 ? nullptr : ERR_reason_error_string(code);
    Reason reason{code, said == nullptr ? "" : said};
    if (words != nullptr) reason.text = words + (" (" + reason.text + ")");
    ERR_clear_error();
    return reason;
}

}  // namespace

// To clear writes all places of the queue, which is nearly always empty.
void clearTlsErrors() {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

std::string takeTlsReason() {
    return takeReason(ERR_peek_last_error()).text;
}

Error takeTlsFileError(const std::string& context) {
    // The last one would only say that loading has failed.
    const Reason reason = takeReason(ERR_peek_error());
    if (ERR_SYSTEM_ERROR(reason.code)) {
        return {static_cast<std::errc>(ERR_GET_REASON(reason.code)), context};
    }
    return {std::errc::invalid_argument, context + (reason.text.empty() ? "" : ": " + reason.text)};
}

}  // namespace nio
