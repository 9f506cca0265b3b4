// What many TLS connections share: the own certificate and key, and whom it trusts. To load them
// anew, make a new context; connections keep the one that they began with.
//
// TLS 1.2 and 1.3; of 1.2 only ciphers with forward secrecy and authenticated encryption. No
// compression, no renegotiation, no session cache and no tickets: connections live long, and
// nothing has to be kept for those that are gone. A connection gives its buffers back when idle.
//
// Thread: any; it does not change once made. Making one reads files, which may block.
// Errors: the file, and why it is of no use: not there, not readable, not PEM, locked by a
// passphrase (nobody is asked for one), a key that does not fit the certificate.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <nio/base/Result.h>

struct ssl_ctx_st;

namespace apps {

struct TlsServerFiles {
    std::string certificate;  // PEM: the server's own first, then those between it and the root
    std::string key;          // PEM
    // PEM: a client must have a certificate that one of these has issued; empty: it needs none.
    std::string clientAuthority{};
};

struct TlsTrust {
    std::string authority{};  // PEM file of certificates; empty: the system's
    // Off: any certificate and any name will do. What is sent is secret only from who listens.
    bool verify = true;
    std::string certificate{};  // the client's own, as a server's; empty: it has none
    std::string key{};
};

class TlsContext {
  public:
    static nio::Result<std::shared_ptr<const TlsContext>> server(const TlsServerFiles& files);
    static nio::Result<std::shared_ptr<const TlsContext>> client(const TlsTrust& trust);

    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    bool isServer() const { return isServer_; }
    bool verifies() const;
    // When the first of a server's certificates expires: its own, or one behind it in the file.
    // Absent on the client's side.
    std::optional<std::chrono::system_clock::time_point> expires() const;
    ssl_ctx_st* native() const { return native_.get(); }

  private:
    struct Free {
        void operator()(ssl_ctx_st* context) const;
    };
    using Native = std::unique_ptr<ssl_ctx_st, Free>;

    TlsContext(Native native, bool isServer) : native_(std::move(native)), isServer_(isServer) {}
    static Native make(bool isServer);

    Native native_;
    bool isServer_;
};

}  // namespace apps
