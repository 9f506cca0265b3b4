// One side of a TLS connection, as bytes in and bytes out: what TlsStage (Tls.h) is made of.
//
// The end of stream is close_notify both ways. It keeps at most one incomplete record; an idle
// connection has no buffers. A server's side allocates nothing before the client's first byte.
// memory() is what OpenSSL holds for this connection, measured: the object itself (some 15 KiB),
// a record that has begun (16 KiB), a message of the handshake (up to 128 KiB as soon as its
// length is known). The handshake has no timeout: that is up to the protocol.
//
// Thread: one at a time; the context may be shared.
// Lifetime: keeps the context.
// Errors: encodingFailed; the context is what OpenSSL said: "TLS handshake: certificate verify
// failed: certificate has expired". The peer has been sent an alert then.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

#include <nio-tls/TlsContext.h>

struct bio_st;
struct ssl_st;

namespace nio {

// What OpenSSL reads and writes during one call: a view and a sink, both lent. What the sink throws
// is kept, because it may not pass through OpenSSL; the caller rethrows it after the call.
struct TlsBytes {
    ByteView input{};
    ByteSink* output = nullptr;
    std::exception_ptr thrown{};
};

// A BIO over `bytes`, which must outlive it; SSL_set_bio takes its ownership. Throws
// std::bad_alloc.
bio_st* newTlsBio(TlsBytes& bytes);

// Bytes in a buffer that the thread lends while there are any, so idle connections hold none. A
// second one in use at the same time allocates its own.
class TlsBuffer final : public ByteSink {
  public:
    TlsBuffer() = default;
    TlsBuffer(const TlsBuffer&) = delete;
    TlsBuffer& operator=(const TlsBuffer&) = delete;
    ~TlsBuffer() { release(); }

    void append(ByteView bytes) override;
    ByteView bytes() const { return bytes_; }
    std::size_t memory() const { return bytes_.capacity(); }
    void release();

  private:
    Bytes bytes_;
};

class TlsSession {
  public:
    // A server's side or a client's, as the context is. A client asks for `serverName` (SNI, unless
    // it is a numeric address), and, if the context verifies, refuses a certificate for any other
    // name. Verifying without a name is an error at begin().
    explicit TlsSession(const TlsContext& context, std::string serverName = {});

    TlsSession(const TlsSession&) = delete;
    TlsSession& operator=(const TlsSession&) = delete;

    // What must be sent is appended to `network`, decoded bytes to `plain`. begin() sends a
    // client's first message; encode() requires isReady(); finish() sends close_notify.
    Result<void> begin(ByteSink& network);
    Result<void> decode(ByteView arrived, ByteSink& plain, ByteSink& network);
    bool isReady() const;
    Result<void> encode(ByteView plain, ByteSink& network);
    Result<void> finish(ByteSink& network);
    bool hasPeerFinished() const { return peerFinished_; }
    std::size_t memory() const { return held_; }

    // "TLSv1.3 TLS_AES_256_GCM_SHA384", once it is ready.
    std::string describe() const;
    // The application protocol that was agreed on (ALPN); empty: none.
    std::string protocol() const;
    // The subject of the peer's certificate, as "CN = esme1"; empty: it has none.
    std::string peerSubject() const;
    bool isResumed() const;

  private:
    struct Free {
        void operator()(ssl_st* ssl) const;
    };
    class Call;

    void make();
    // False: there is no name to verify.
    bool expectName();
    // After a call that returned `result` <= 0: nothing more to do now, or the end.
    Result<void> outcome(int result);
    Error failure() const;

    const std::shared_ptr<const TlsContext> context_;
    const std::string serverName_;
    TlsBytes bytes_;
    std::unique_ptr<ssl_st, Free> ssl_;  // null until there is something to do
    std::size_t held_ = 0;
    bool peerFinished_ = false;
};

}  // namespace nio
