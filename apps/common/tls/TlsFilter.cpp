#include "common/tls/TlsFilter.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>

#include "common/tls/TlsError.h"
#include "common/tls/TlsMemory.h"

namespace apps {

namespace {

ssl_ctx_st* share(ssl_ctx_st* context) {
    SSL_CTX_up_ref(context);
    return context;
}

// --- a BIO over TlsBytes --------------------------------------------------------------------
// Unlike OpenSSL's own memory BIOs it keeps nothing and copies nothing twice. A read returns
// "nothing yet" where the view ends; a write always takes all.

TlsBytes& bytesOf(BIO* bio) {
    return *static_cast<TlsBytes*>(BIO_get_data(bio));
}

int readBytes(BIO* bio, char* into, std::size_t size, std::size_t* done) {
    nio::ByteView& input = bytesOf(bio).input;
    BIO_clear_retry_flags(bio);
    *done = std::min(size, input.size());
    if (*done == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    std::memcpy(into, input.data(), *done);
    input = input.subspan(*done);
    return 1;
}

int writeBytes(BIO* bio, const char* from, std::size_t size, std::size_t* done) {
    TlsBytes& bytes = bytesOf(bio);
    BIO_clear_retry_flags(bio);
    *done = 0;
    if (bytes.output == nullptr) return 0;
    try {
        bytes.output->append(nio::asBytes({from, size}));
    } catch (...) {
        bytes.thrown = std::current_exception();
        return 0;
    }
    *done = size;
    return 1;
}

long control(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* newMethod() {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lent bytes");
    if (method == nullptr) throw std::bad_alloc();
    BIO_meth_set_read_ex(method, readBytes);
    BIO_meth_set_write_ex(method, writeBytes);
    BIO_meth_set_ctrl(method, control);
    return method;
}

}  // namespace

bio_st* newTlsBio(TlsBytes& bytes) {
    struct Free {
        void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
    };
    static const std::unique_ptr<BIO_METHOD, Free> method(newMethod());
    BIO* bio = BIO_new(method.get());
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &bytes);
    BIO_set_init(bio, 1);
    return bio;
}

// One call into OpenSSL: lends the bytes to the BIO, and charges the connection with what is
// allocated meanwhile.
class TlsFilter::Call {
  public:
    Call(TlsFilter& filter, nio::ByteView input, nio::ByteSink& output)
        : charge_(filter.held_), bytes_(filter.bytes_) {
        if (filter.ssl_ == nullptr) filter.make();
        bytes_ = {input, &output, nullptr};
        clearTlsErrors();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { bytes_ = {}; }

    void rethrow() const {
        if (bytes_.thrown) std::rethrow_exception(bytes_.thrown);
    }

  private:
    const TlsMemory::Charge charge_;
    TlsBytes& bytes_;
};

void TlsFilter::Free::operator()(ssl_st* ssl) const {
    SSL_free(ssl);
}
void TlsFilter::Free::operator()(ssl_ctx_st* context) const {
    SSL_CTX_free(context);
}

TlsFilter::TlsFilter(const TlsContext& context, std::string serverName)
    : context_(share(context.native())),
      serverName_(std::move(serverName)),
      isServer_(context.isServer()) {}

std::unique_ptr<TlsFilter> TlsFilter::server(const TlsContext& context) {
    assert(context.isServer());
    return std::unique_ptr<TlsFilter>(new TlsFilter(context, {}));
}

std::unique_ptr<TlsFilter> TlsFilter::client(const TlsContext& context,
                                             const std::string& serverName) {
    assert(!context.isServer());
    return std::unique_ptr<TlsFilter>(new TlsFilter(context, serverName));
}

void TlsFilter::make() {
    std::unique_ptr<ssl_st, Free> made(SSL_new(context_.get()));
    if (made == nullptr) throw std::bad_alloc();
    BIO* bio = newTlsBio(bytes_);
    SSL_set_bio(made.get(), bio, bio);
    isServer_ ? SSL_set_accept_state(made.get()) : SSL_set_connect_state(made.get());
    ssl_ = std::move(made);
}

bool TlsFilter::expectName() {
    // OpenSSL takes an empty name for "any".
    if (serverName_.empty()) return false;
    X509_VERIFY_PARAM* wanted = SSL_get0_param(ssl_.get());
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, serverName_.c_str()) == 1) return true;
    return X509_VERIFY_PARAM_set1_host(wanted, serverName_.data(), serverName_.size()) == 1 &&
           SSL_set_tlsext_host_name(ssl_.get(), serverName_.c_str()) == 1;
}

nio::Result<void> TlsFilter::begin(nio::ByteSink& network) {
    // The client speaks first; one that does not costs a server nothing.
    if (isServer_) return {};
    const Call call(*this, {}, network);
    if (!expectName() && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
        return nio::Error(nio::Errc::filterFailed, "TLS: no server name to verify");
    }
    const int result = SSL_do_handshake(ssl_.get());
    call.rethrow();
    return result == 1 ? nio::Result<void>() : outcome(result);
}

nio::Result<void> TlsFilter::decode(nio::ByteView arrived, nio::ByteSink& plain,
                                    nio::ByteSink& network) {
    const Call call(*this, arrived, network);
    std::array<nio::Byte, SSL3_RT_MAX_PLAIN_LENGTH> record;
    for (;;) {
        std::size_t count = 0;
        const int result = SSL_read_ex(ssl_.get(), record.data(), record.size(), &count);
        call.rethrow();
        if (result != 1) return outcome(result);
        plain.append({record.data(), count});
    }
}

bool TlsFilter::isReady() const {
    return ssl_ != nullptr && SSL_is_init_finished(ssl_.get()) == 1;
}

nio::Result<void> TlsFilter::encode(nio::ByteView plain, nio::ByteSink& network) {
    const Call call(*this, {}, network);
    std::size_t written = 0;
    const int result = SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written);
    call.rethrow();
    if (result == 1) return {};
    return failure();
}

nio::Result<void> TlsFilter::finish(nio::ByteSink& network) {
    if (!isReady()) return {};
    const Call call(*this, {}, network);
    const int result = SSL_shutdown(ssl_.get());
    call.rethrow();
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
    text += ": " + (reason.empty() ? "the peer closed the connection" : reason);
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified != X509_V_OK && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
        text += std::string(": ") + X509_verify_cert_error_string(verified);
    }
    return {nio::Errc::filterFailed, text};
}

std::string TlsFilter::describe() const {
    if (ssl_ == nullptr) return {};
    return std::string(SSL_get_version(ssl_.get())) + " " + SSL_get_cipher_name(ssl_.get());
}

}  // namespace apps
