// What many TLS connections share: certificate, key, and trusted authorities. To reload them, make
// a new context; connections keep the one that they began with.
//
// TLS 1.2 and 1.3; of 1.2 only ciphers with forward secrecy and authenticated encryption. With
// resumption, sessions of TLS 1.2 lose forward secrecy as long as the server's context lives: its
// ticket key decrypts them. No compression, no renegotiation. A connection gives its buffers back
// when idle.
//
// Thread: any. Making one reads files, which may block.
// Errors: name the file and the reason: missing, unreadable, not PEM, locked by a passphrase (there
// is no prompt), a key that does not match the certificate. Throws std::runtime_error where OpenSSL
// gets no random numbers (a sandbox that refuses getrandom).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nio/base/Result.h>

struct ssl_ctx_st;
struct ssl_session_st;

namespace nio {

struct TlsCertificateFiles {
    std::string certificate;  // as TlsServerFiles
    std::string key;
};

struct TlsServerFiles {
    std::string certificate;  // PEM: the server's own first, then those between it and the root
    std::string key;          // PEM
    // PEM: a client must have a certificate that one of these has issued; empty: it needs none.
    std::string clientAuthority{};
    // Further certificates: a client gets the first one that is valid for the name it asks for
    // (SNI); if none is, the one above.
    std::vector<TlsCertificateFiles> byName{};
    // Application protocols (ALPN), the preferred one first. A client that offers only others is
    // refused; one that offers none is accepted. Empty: not negotiated.
    std::vector<std::string> protocols{};
    // Session tickets: clients may resume a session with a shorter handshake. The tickets are good
    // for this context only.
    bool resumption = false;
};

struct TlsTrust {
    std::string authority{};  // PEM file of certificates; empty: the system's
    // Off: accepts any certificate and any name, which protects only against eavesdropping.
    bool verify = true;
    std::string certificate{};  // the client's own, as a server's; empty: it has none
    std::string key{};
    std::vector<std::string> protocols{};  // to offer (ALPN), the preferred one first
    // Resumes the last session with a server of the same name, if the server can. Sessions are
    // kept in the context, of at most 256 names.
    bool resumption = false;
};

class TlsContext : public std::enable_shared_from_this<TlsContext> {
  public:
    static Result<std::shared_ptr<const TlsContext>> server(const TlsServerFiles& files);
    static Result<std::shared_ptr<const TlsContext>> client(const TlsTrust& trust);

    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    bool isServer() const { return isServer_; }
    bool verifies() const;
    // When the first of a server's certificates expires: its own, one behind it in the file, or one
    // for another name. Absent on the client's side.
    std::optional<std::chrono::system_clock::time_point> expires() const;
    ssl_ctx_st* native() const { return native_.get(); }

    // Of a client that resumes; for TlsSession.
    struct FreeSession {
        void operator()(ssl_session_st* session) const;
    };
    using Session = std::unique_ptr<ssl_session_st, FreeSession>;
    bool resumes() const { return resumes_; }
    void keepSession(const std::string& serverName, Session session) const;
    // Null: none. One of TLS 1.3 is used once.
    Session takeSession(const std::string& serverName) const;

  private:
    struct Free {
        void operator()(ssl_ctx_st* context) const;
    };
    using Native = std::unique_ptr<ssl_ctx_st, Free>;

    explicit TlsContext(bool isServer) : native_(make(isServer)), isServer_(isServer) {}
    static Native make(bool isServer);
    Result<void> load(const TlsServerFiles& files);
    Result<void> load(const TlsTrust& trust);
    Result<void> speak(const std::vector<std::string>& protocols);
    struct Callbacks;

    Native native_;
    std::vector<Native> byName_;
    std::string protocols_;  // as the wire has them
    bool isServer_;
    bool resumes_ = false;
    mutable std::mutex mutex_;
    mutable std::map<std::string, Session> sessions_;
};

}  // namespace nio
