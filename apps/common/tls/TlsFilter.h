// TLS in the filter slot of a connection, either side of it.
//
//     channel->setFilter(apps::TlsFilter::server(*context));
//     channel->setFilter(apps::TlsFilter::client(*context, "smsc.example.org"));
//
// The end of stream is close_notify both ways. It keeps at most one incomplete record; an idle
// connection has no buffers. A server's side allocates nothing before the client's first byte.
// memory() is what OpenSSL holds for this connection, measured: the object itself (some 15 KiB),
// a record that has begun (16 KiB), a message of the handshake (up to 128 KiB as soon as its
// length is known). A handshake that does not come to an end is for the protocol's own time limits.
//
// Thread: one at a time; the context may be shared.
// Lifetime: keeps what it needs of the context.
// Errors: filterFailed; the context is what OpenSSL said: "TLS handshake: certificate verify
// failed: certificate has expired". The peer has been sent an alert then.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <nio/connection/ByteFilter.h>

#include "common/tls/TlsContext.h"

struct bio_st;
struct ssl_ctx_st;
struct ssl_st;

namespace apps {

// What OpenSSL reads and writes during one call: a view and a sink, both lent. What the sink throws
// is kept, because it may not pass through OpenSSL; the caller rethrows it after the call.
struct TlsBytes {
    nio::ByteView input{};
    nio::ByteSink* output = nullptr;
    std::exception_ptr thrown{};
};

// A BIO over `bytes`, which must outlive it; SSL_set_bio takes its ownership. Throws
// std::bad_alloc.
bio_st* newTlsBio(TlsBytes& bytes);

class TlsFilter final : public nio::ByteFilter {
  public:
    static std::unique_ptr<TlsFilter> server(const TlsContext& context);
    // Asks for `serverName` (SNI, unless it is a numeric address), and, if the context verifies,
    // refuses a certificate for any other name. Verifying without a name is an error at begin().
    static std::unique_ptr<TlsFilter> client(const TlsContext& context,
                                             const std::string& serverName);

    TlsFilter(const TlsFilter&) = delete;
    TlsFilter& operator=(const TlsFilter&) = delete;

    nio::Result<void> begin(nio::ByteSink& network) override;
    nio::Result<void> decode(nio::ByteView arrived, nio::ByteSink& plain,
                             nio::ByteSink& network) override;
    bool isReady() const override;
    nio::Result<void> encode(nio::ByteView plain, nio::ByteSink& network) override;
    nio::Result<void> finish(nio::ByteSink& network) override;
    bool hasPeerFinished() const override { return peerFinished_; }
    std::size_t memory() const override { return held_; }

    // "TLSv1.3 TLS_AES_256_GCM_SHA384", once it is ready.
    std::string describe() const;

  private:
    struct Free {
        void operator()(ssl_st* ssl) const;
        void operator()(ssl_ctx_st* context) const;
    };
    class Call;

    TlsFilter(const TlsContext& context, std::string serverName);
    void make();
    // False: there is no name to verify.
    bool expectName();
    // After a call that returned `result` <= 0: nothing more to do now, or the end.
    nio::Result<void> outcome(int result);
    nio::Error failure() const;

    std::unique_ptr<ssl_ctx_st, Free> context_;
    const std::string serverName_;
    const bool isServer_;
    TlsBytes bytes_;
    std::unique_ptr<ssl_st, Free> ssl_;  // null until there is something to do
    std::size_t held_ = 0;
    bool peerFinished_ = false;
};

}  // namespace apps
