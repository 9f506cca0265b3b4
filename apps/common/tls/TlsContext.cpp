#include "common/tls/TlsContext.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <ctime>
#include <new>

#include "common/tls/TlsError.h"

namespace apps {

namespace {

// The default would ask at the terminal.
int noPassphrase(char*, int, int, void*) {
    return -1;
}

nio::Result<void> useCertificate(SSL_CTX* context, const std::string& file) {
    clearTlsErrors();
    if (SSL_CTX_use_certificate_chain_file(context, file.c_str()) == 1) return {};
    return takeTlsFileError("certificate " + file);
}

nio::Result<void> useKey(SSL_CTX* context, const std::string& certificate, const std::string& key) {
    clearTlsErrors();
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return takeTlsFileError("key " + key);
    }
    if (SSL_CTX_check_private_key(context) == 1) return {};
    return takeTlsFileError("key " + key + " for certificate " + certificate);
}

nio::Result<void> useOwn(SSL_CTX* context, const std::string& certificate, const std::string& key) {
    if (auto used = useCertificate(context, certificate); !used) return used.error();
    return useKey(context, certificate, key);
}

nio::Result<void> useAuthority(SSL_CTX* context, const std::string& file) {
    clearTlsErrors();
    const int used = file.empty() ? SSL_CTX_set_default_verify_paths(context)
                                  : SSL_CTX_load_verify_file(context, file.c_str());
    if (used == 1) return {};
    return takeTlsFileError("certificate authority " + (file.empty() ? "of the system" : file));
}

// The names of its certificates are told to clients, which choose theirs by them.
nio::Result<void> useClientAuthority(SSL_CTX* context, const std::string& file) {
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

TlsContext::Native TlsContext::make(bool isServer) {
    Native made(SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()));
    if (made == nullptr) throw std::bad_alloc();
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

nio::Result<std::shared_ptr<const TlsContext>> TlsContext::server(const TlsServerFiles& files) {
    Native made = make(true);
    if (auto used = useOwn(made.get(), files.certificate, files.key); !used) return used.error();
    if (!files.clientAuthority.empty()) {
        auto used = useClientAuthority(made.get(), files.clientAuthority);
        if (!used) return used.error();
    }
    return std::shared_ptr<const TlsContext>(new TlsContext(std::move(made), true));
}

nio::Result<std::shared_ptr<const TlsContext>> TlsContext::client(const TlsTrust& trust) {
    Native made = make(false);
    if (trust.verify) {
        if (auto used = useAuthority(made.get(), trust.authority); !used) return used.error();
    }
    if (!trust.certificate.empty()) {
        auto used = useOwn(made.get(), trust.certificate, trust.key);
        if (!used) return used.error();
    }
    SSL_CTX_set_verify(made.get(), trust.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    return std::shared_ptr<const TlsContext>(new TlsContext(std::move(made), false));
}

std::optional<std::chrono::system_clock::time_point> TlsContext::expires() const {
    X509* const own = SSL_CTX_get0_certificate(native());
    if (own == nullptr) return std::nullopt;
    STACK_OF(X509)* chain = nullptr;  // without a certificate it stays null, and has "-1" of them
    SSL_CTX_get0_chain_certs(native(), &chain);
    auto first = std::chrono::system_clock::time_point::max();
    for (int i = -1; i < std::max(0, sk_X509_num(chain)); ++i) {
        const X509* const one = i < 0 ? own : sk_X509_value(chain, i);
        std::tm utc{};
        if (ASN1_TIME_to_tm(X509_get0_notAfter(one), &utc) != 1) continue;
        first = std::min(first, std::chrono::system_clock::from_time_t(::timegm(&utc)));
    }
    return first;
}

bool TlsContext::verifies() const {
    return SSL_CTX_get_verify_mode(native()) != SSL_VERIFY_NONE;
}

}  // namespace apps
