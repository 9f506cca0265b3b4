#include <nio-tls/TlsContext.h>

#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <new>
#include <stdexcept>

#include <nio-tls/TlsError.h>

namespace nio {

namespace {

// The default would ask at the terminal.
int noPassphrase(char*, int, int, void*) {
    return -1;
}

Result<void> useCertificate(SSL_CTX* context, const std::string& file) {
    clearTlsErrors();
    if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) == 1) return {};
    return takeTlsFileError("certificate " + file);
}

Result<void> useKey(SSL_CTX* context, const std::string& certificate, const std::string& key) {
    clearTlsErrors();
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return takeTlsFileError("key " + key);
    }
    if (SSL_CTX_check_private_key(context) == 1) return {};
    return takeTlsFileError("key " + key + " for certificate " + certificate);
}

Result<void> useOwn(SSL_CTX* context, const std::string& certificate, const std::string& key) {
    if (auto used = useCertificate(context, certificate); !used) return used.error();
    return useKey(context, certificate, key);
}

Result<void> useAuthority(SSL_CTX* context, const std::string& file) {
    clearTlsErrors();
    const int used = file.empty() ? SSL_CTX_set_default_verify_paths(context)
                                  : SSL_CTX_load_verify_file(context, file.c_str());
    if (used == 1) return {};
    return takeTlsFileError("certificate authority " + (file.empty() ? "of the system" : file));
}

// The names of its certificates are told to clients, which choose theirs by them.
Result<void> useClientAuthority(SSL_CTX* context, const std::string& file) {
    if (auto used = useAuthority(context, file); !used) return used.error();
    clearTlsErrors();
    STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(file.c_str());
    if (names == nullptr) return takeTlsFileError("certificate authority " + file);
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return {};
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const {
    SSL_CTX_free(context);
}

// Where a sandbox refuses getrandom(2), OpenSSL has no random numbers.
TlsContext::Native TlsContext::make(bool isServer) {
    clearTlsErrors();
    Native made(SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()));
    if (made == nullptr) {
        if (RAND_status() == 1) throw std::bad_alloc();
        throw std::runtime_error("TLS: no random numbers (getrandom): " + takeTlsReason());
    }
    SSL_CTX* context = made.get();
    SSL_CTX_set_security_level(context, 2);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_max_proto_version(context, 0);
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_default_passwd_cb(context, noPassphrase);
    return made;
}

// What OpenSSL calls.
struct TlsContext::Callbacks {
    static const TlsContext& of(void* context) { return *static_cast<const TlsContext*>(context); }

    static int nameAsked(SSL* ssl, int*, void* context) {
        const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
        if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
        for (const Native& one : of(context).byName_) {
            X509* const certificate = SSL_CTX_get0_certificate(one.get());
            const unsigned flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
            if (X509_check_host(certificate, name, 0, flags, nullptr) != 1) continue;
            SSL_set_SSL_CTX(ssl, one.get());
            break;
        }
        return SSL_TLSEXT_ERR_OK;
    }
    static int protocolsOffered(SSL*, const unsigned char** chosen, unsigned char* size,
                                const unsigned char* offered, unsigned offeredSize, void* context) {
        const std::string& own = of(context).protocols_;
        unsigned char* found = nullptr;
        const int result =
            SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(own.data()),
                                  static_cast<unsigned>(own.size()), offered, offeredSize);
        *chosen = found;
        return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    // The connection's data is the name of its server, see TlsSession. 1: the session is ours.
    static int sessionBegun(SSL* ssl, SSL_SESSION* session) {
        Session owned(session);
        const auto* const name = static_cast<const std::string*>(SSL_get_app_data(ssl));
        void* const context = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
        try {
            of(context).keepSession(*name, std::move(owned));
        } catch (const std::bad_alloc&) {
            // The next handshake is a full one.
        }
        return 1;
    }
};

Result<std::shared_ptr<const TlsContext>> TlsContext::server(const TlsServerFiles& files) {
    const std::shared_ptr<TlsContext> made(new TlsContext(true));
    if (auto loaded = made->load(files); !loaded) return loaded.error();
    return std::shared_ptr<const TlsContext>(made);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const TlsTrust& trust) {
    const std::shared_ptr<TlsContext> made(new TlsContext(false));
    if (auto loaded = made->load(trust); !loaded) return loaded.error();
    return std::shared_ptr<const TlsContext>(made);
}

Result<void> TlsContext::load(const TlsServerFiles& files) {
    if (auto spoken = speak(files.protocols); !spoken) return spoken;
    const auto prepare = [&](SSL_CTX* context, const std::string& certificate,
                             const std::string& key) -> Result<void> {
        if (auto used = useOwn(context, certificate, key); !used) return used;
        // OpenSSL looks for the authority in the context of the certificate that it uses.
        if (!files.clientAuthority.empty()) {
            if (auto used = useClientAuthority(context, files.clientAuthority); !used) return used;
        }
        if (!protocols_.empty()) {
            SSL_CTX_set_alpn_select_cb(context, Callbacks::protocolsOffered, this);
        }
        if (!files.resumption) return {};
        SSL_CTX_clear_options(context, SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(context, 1);
        constexpr std::array<unsigned char, 3> name{'n', 'i', 'o'};
        SSL_CTX_set_session_id_context(context, name.data(), name.size());
        return {};
    };
    if (auto used = prepare(native(), files.certificate, files.key); !used) return used;
    for (const TlsCertificateFiles& one : files.byName) {
        byName_.push_back(make(true));
        if (auto used = prepare(byName_.back().get(), one.certificate, one.key); !used) return used;
    }
    if (byName_.empty()) return {};
    SSL_CTX_set_tlsext_servername_callback(native(), Callbacks::nameAsked);
    SSL_CTX_set_tlsext_servername_arg(native(), this);
    return {};
}

Result<void> TlsContext::load(const TlsTrust& trust) {
    if (trust.verify) {
        if (auto used = useAuthority(native(), trust.authority); !used) return used;
    }
    if (!trust.certificate.empty()) {
        if (auto used = useOwn(native(), trust.certificate, trust.key); !used) return used;
    }
    if (auto spoken = speak(trust.protocols); !spoken) return spoken;
    SSL_CTX_set_verify(native(), trust.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    resumes_ = trust.resumption;
    if (!resumes_) return {};
    SSL_CTX_clear_options(native(), SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(native(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_set_app_data(native(), this);
    SSL_CTX_sess_set_new_cb(native(), Callbacks::sessionBegun);
    return {};
}

Result<void> TlsContext::speak(const std::vector<std::string>& protocols) {
    for (const std::string& protocol : protocols) {
        if (protocol.empty() || protocol.size() > 255) {
            return Error(std::errc::invalid_argument, "TLS protocol \"" + protocol + "\"");
        }
        protocols_ += static_cast<char>(protocol.size()) + protocol;
    }
    if (isServer_ || protocols_.empty()) return {};
    const auto* wire = reinterpret_cast<const unsigned char*>(protocols_.data());
    if (SSL_CTX_set_alpn_protos(native(), wire, static_cast<unsigned>(protocols_.size())) != 0) {
        throw std::bad_alloc();
    }
    return {};
}

void TlsContext::FreeSession::operator()(ssl_session_st* session) const {
    SSL_SESSION_free(session);
}

void TlsContext::keepSession(const std::string& serverName, Session session) const {
    constexpr std::size_t mostNames = 256;
    const std::lock_guard lock(mutex_);
    if (sessions_.size() == mostNames && sessions_.count(serverName) == 0) {
        sessions_.erase(sessions_.begin());
    }
    sessions_[serverName] = std::move(session);
}

TlsContext::Session TlsContext::takeSession(const std::string& serverName) const {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(serverName);
    if (found == sessions_.end()) return nullptr;
    SSL_SESSION* const session = found->second.get();
    // A ticket of TLS 1.2 is good for many connections, and servers seldom renew it.
    if (SSL_SESSION_get_protocol_version(session) < TLS1_3_VERSION) {
        SSL_SESSION_up_ref(session);
        return Session(session);
    }
    Session taken = std::move(found->second);
    sessions_.erase(found);
    return taken;
}

namespace {

// Of the context's certificate and those behind it in the file.
std::chrono::system_clock::time_point firstExpiry(const SSL_CTX* context) {
    X509* const own = SSL_CTX_get0_certificate(context);
    STACK_OF(X509)* chain = nullptr;
    SSL_CTX_get0_chain_certs(const_cast<SSL_CTX*>(context), &chain);
    auto first = std::chrono::system_clock::time_point::max();
    for (int i = -1; i < std::max(0, sk_X509_num(chain)); ++i) {
        const X509* const one = i < 0 ? own : sk_X509_value(chain, i);
        std::tm utc{};
        if (ASN1_TIME_to_tm(X509_get0_notAfter(one), &utc) != 1) continue;
        first = std::min(first, std::chrono::system_clock::from_time_t(::timegm(&utc)));
    }
    return first;
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> TlsContext::expires() const {
    if (SSL_CTX_get0_certificate(native()) == nullptr) return std::nullopt;
    auto first = firstExpiry(native());
    for (const Native& one : byName_) first = std::min(first, firstExpiry(one.get()));
    return first;
}

bool TlsContext::verifies() const {
    return SSL_CTX_get_verify_mode(native()) != SSL_VERIFY_NONE;
}

}  // namespace nio
