#include <nio-tls/TlsSession.h>

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include <nio-tls/TlsError.h>
#include <nio-tls/TlsMemory.h>

namespace nio {

namespace {

// --- a BIO over TlsBytes --------------------------------------------------------------------
// Unlike OpenSSL's own memory BIOs it keeps nothing and copies nothing twice. A read returns
// "nothing yet" where the view ends; a write always takes all.

TlsBytes& bytesOf(BIO* bio) {
    return *static_cast<TlsBytes*>(BIO_get_data(bio));
}

int readBytes(BIO* bio, char* into, std::size_t size, std::size_t* done) {
    ByteView& input = bytesOf(bio).input;
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
        bytes.output->append(asBytes({from, size}));
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
    // Never freed: connections of static objects may outlive what is made here.
    static const BIO_METHOD* const method = newMethod();
    BIO* bio = BIO_new(method);
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &bytes);
    BIO_set_init(bio, 1);
    return bio;
}

namespace {

constexpr std::size_t mostLentBytes = 256 * 1024;

// Without a destructor, so it may be read when the thread's other locals are gone.
thread_local bool spareIsGone = false;

// Swaps with the thread's spare buffer, unless the thread ends: connections of static objects
// outlive it.
void swapSpare(Bytes& bytes) {
    struct Spare {
        Bytes bytes;
        ~Spare() { spareIsGone = true; }
    };
    thread_local Spare spare;
    if (!spareIsGone) bytes.swap(spare.bytes);
}

}  // namespace

void TlsBuffer::append(ByteView bytes) {
    if (bytes_.capacity() == 0) swapSpare(bytes_);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void TlsBuffer::release() {
    if (bytes_.capacity() == 0) return;
    bytes_.clear();
    if (bytes_.capacity() <= mostLentBytes) swapSpare(bytes_);
    Bytes().swap(bytes_);
}

// One call into OpenSSL: lends the bytes to the BIO, and charges the connection with what is
// allocated meanwhile.
class TlsSession::Call {
  public:
    Call(TlsSession& session, ByteView input, ByteSink& output)
        : charge_(session.held_), bytes_(session.bytes_) {
        if (session.ssl_ == nullptr) session.make();
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

void TlsSession::Free::operator()(ssl_st* ssl) const {
    SSL_free(ssl);
}

TlsSession::TlsSession(const TlsContext& context, std::string serverName)
    : context_(context.shared_from_this()), serverName_(std::move(serverName)) {}

void TlsSession::make() {
    std::unique_ptr<ssl_st, Free> made(SSL_new(context_->native()));
    if (made == nullptr) throw std::bad_alloc();
    BIO* bio = newTlsBio(bytes_);
    SSL_set_bio(made.get(), bio, bio);
    context_->isServer() ? SSL_set_accept_state(made.get()) : SSL_set_connect_state(made.get());
    if (!context_->isServer() && context_->resumes()) {
        SSL_set_app_data(made.get(), const_cast<std::string*>(&serverName_));
        const TlsContext::Session last = context_->takeSession(serverName_);
        if (last != nullptr) SSL_set_session(made.get(), last.get());
    }
    ssl_ = std::move(made);
}

bool TlsSession::expectName() {
    // OpenSSL takes an empty name for "any".
    if (serverName_.empty()) return false;
    X509_VERIFY_PARAM* wanted = SSL_get0_param(ssl_.get());
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, serverName_.c_str()) == 1) return true;
    return X509_VERIFY_PARAM_set1_host(wanted, serverName_.data(), serverName_.size()) == 1 &&
           SSL_set_tlsext_host_name(ssl_.get(), serverName_.c_str()) == 1;
}

Result<void> TlsSession::begin(ByteSink& network) {
    // The client speaks first; one that does not costs a server nothing.
    if (context_->isServer()) return {};
    const Call call(*this, {}, network);
    if (!expectName() && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
        return Error(Errc::encodingFailed, "TLS: no server name to verify");
    }
    const int result = SSL_do_handshake(ssl_.get());
    call.rethrow();
    return result == 1 ? Result<void>() : outcome(result);
}

Result<void> TlsSession::decode(ByteView arrived, ByteSink& plain, ByteSink& network) {
    const Call call(*this, arrived, network);
    std::array<Byte, SSL3_RT_MAX_PLAIN_LENGTH> record;
    for (;;) {
        std::size_t count = 0;
        const int result = SSL_read_ex(ssl_.get(), record.data(), record.size(), &count);
        call.rethrow();
        if (result != 1) return outcome(result);
        plain.append({record.data(), count});
    }
}

bool TlsSession::isReady() const {
    return ssl_ != nullptr && SSL_is_init_finished(ssl_.get()) == 1;
}

Result<void> TlsSession::encode(ByteView plain, ByteSink& network) {
    const Call call(*this, {}, network);
    std::size_t written = 0;
    const int result = SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written);
    call.rethrow();
    if (result == 1) return {};
    return failure();
}

Result<void> TlsSession::finish(ByteSink& network) {
    if (!isReady()) return {};
    const Call call(*this, {}, network);
    const int result = SSL_shutdown(ssl_.get());
    call.rethrow();
    if (result >= 0) return {};
    return failure();
}

Result<void> TlsSession::outcome(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {};
        case SSL_ERROR_ZERO_RETURN: peerFinished_ = isReady(); break;
        default: break;
    }
    if (peerFinished_) return {};
    return failure();
}

Error TlsSession::failure() const {
    // It is not "ready" any more after an error.
    const bool wasReady = SSL_get_peer_finished(ssl_.get(), nullptr, 0) > 0;
    std::string text = wasReady ? "TLS" : "TLS handshake";
    const std::string reason = takeTlsReason();
    text += ": " + (reason.empty() ? "the peer closed the connection" : reason);
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified != X509_V_OK && SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE) {
        text += std::string(": ") + X509_verify_cert_error_string(verified);
    }
    return {Errc::encodingFailed, text};
}

std::string TlsSession::protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    if (ssl_ != nullptr) SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return name == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(name), size);
}

std::string TlsSession::peerSubject() const {
    X509* const certificate = ssl_ == nullptr ? nullptr : SSL_get0_peer_certificate(ssl_.get());
    if (certificate == nullptr) return {};
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
    if (text == nullptr) throw std::bad_alloc();
    X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE);
    char* data = nullptr;
    const long size = BIO_get_mem_data(text.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

bool TlsSession::isResumed() const {
    return ssl_ != nullptr && SSL_session_reused(ssl_.get()) == 1;
}

std::string TlsSession::describe() const {
    if (ssl_ == nullptr) return {};
    return std::string(SSL_get_version(ssl_.get())) + " " + SSL_get_cipher_name(ssl_.get());
}

}  // namespace nio
