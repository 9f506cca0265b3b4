#include "common/tls/TlsFilter.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cassert>
#include <new>

#include "common/tls/TlsError.h"

namespace apps {

namespace {

// The longest that OpenSSL takes of a client.
constexpr std::size_t longestMessage = 131'396;

// Lends the bytes to the BIO for one call.
class Loan {
  public:
    Loan(TlsBytes& bytes, nio::ByteView input, nio::ByteSink& output) : bytes_(bytes) {
        bytes_ = {input, &output, nullptr};
        clearTlsErrors();
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { bytes_ = {}; }

    void rethrow() const {
        if (bytes_.thrown) std::rethrow_exception(bytes_.thrown);
    }

  private:
    TlsBytes& bytes_;
};

}  // namespace

void TlsFilter::Free::operator()(ssl_st* ssl) const {
    SSL_free(ssl);
}

TlsFilter::TlsFilter(const TlsContext& context) : ssl_(SSL_new(context.native())) {
    if (ssl_ == nullptr) throw std::bad_alloc();
    BIO* bio = newTlsBio(bytes_);
    SSL_set_bio(ssl_.get(), bio, bio);
}

std::unique_ptr<TlsFilter> TlsFilter::server(const TlsContext& context) {
    assert(context.isServer());
    std::unique_ptr<TlsFilter> made(new TlsFilter(context));
    SSL_set_accept_state(made->ssl_.get());
    return made;
}

std::unique_ptr<TlsFilter> TlsFilter::client(const TlsContext& context,
                                             const std::string& serverName) {
    assert(!context.isServer());
    std::unique_ptr<TlsFilter> made(new TlsFilter(context));
    SSL_set_connect_state(made->ssl_.get());
    made->nameRefused_ = !made->expect(serverName) && context.verifies();
    return made;
}

bool TlsFilter::expect(const std::string& serverName) {
    // OpenSSL takes an empty name for "any".
    if (serverName.empty()) return false;
    X509_VERIFY_PARAM* wanted = SSL_get0_param(ssl_.get());
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, serverName.c_str()) == 1) return true;
    return X509_VERIFY_PARAM_set1_host(wanted, serverName.data(), serverName.size()) == 1 &&
           SSL_set_tlsext_host_name(ssl_.get(), serverName.c_str()) == 1;
}

nio::Result<void> TlsFilter::begin(nio::ByteSink& network) {
    if (nameRefused_) return nio::Error(nio::Errc::filterFailed, "TLS: no server name to verify");
    const Loan loan(bytes_, {}, network);
    const int result = SSL_do_handshake(ssl_.get());
    loan.rethrow();
    return result == 1 ? nio::Result<void>() : outcome(result);
}

nio::Result<void> TlsFilter::decode(nio::ByteView arrived, nio::ByteSink& plain,
                                    nio::ByteSink& network) {
    const Loan loan(bytes_, arrived, network);
    std::array<nio::Byte, SSL3_RT_MAX_PLAIN_LENGTH> record;
    for (;;) {
        std::size_t count = 0;
        const int result = SSL_read_ex(ssl_.get(), record.data(), record.size(), &count);
        loan.rethrow();
        if (result != 1) return outcome(result);
        plain.append({record.data(), count});
    }
}

bool TlsFilter::isReady() const {
    return SSL_is_init_finished(ssl_.get()) == 1;
}

// The state changes with the header of a message, and again behind its end.
std::size_t TlsFilter::memory() const {
    const OSSL_HANDSHAKE_STATE state = SSL_get_state(ssl_.get());
    const bool isInside = state == TLS_ST_SR_CLNT_HELLO || state == TLS_ST_SR_CERT;
    return isInside ? longestMessage : 0;
}

nio::Result<void> TlsFilter::encode(nio::ByteView plain, nio::ByteSink& network) {
    const Loan loan(bytes_, {}, network);
    std::size_t written = 0;
    const int result = SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written);
    loan.rethrow();
    if (result == 1) return {};
    return failure();
}

nio::Result<void> TlsFilter::finish(nio::ByteSink& network) {
    if (!isReady()) return {};
    const Loan loan(bytes_, {}, network);
    const int result = SSL_shutdown(ssl_.get());
    loan.rethrow();
    if (result >= 0) return {};
    return failure();
}

nio::Result<void> TlsFilter::outcome(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {};
        case SSL_ERROR_ZERO_RETURN: peerFinished_ = isReady(); break;
        default: break;
    }
    if (peerFinished_) return {};
    return failure();
}

nio::Error TlsFilter::failure() const {
    // It is not "ready" any more after an error.
    const bool wasReady = SSL_get_peer_finished(ssl_.get(), nullptr, 0) > 0;
    std::string text = wasReady ? "TLS" : "TLS handshake";
    const std::string reason = takeTlsReason();
    text += ": " + (reason.empty() ? "the peer gave up" : reason);
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified != X509_V_OK && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
        text += std::string(": ") + X509_verify_cert_error_string(verified);
    }
    return {nio::Errc::filterFailed, text};
}

std::string TlsFilter::describe() const {
    return std::string(SSL_get_version(ssl_.get())) + " " + SSL_get_cipher_name(ssl_.get());
}

}  // namespace apps
