#include "nio-tls/Certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace support {

namespace {

template <class T>
T need(T made, const char* what) {
    if (!made) throw std::runtime_error(std::string("certificates: ") + what);
    return made;
}

class File {
  public:
    explicit File(const std::string& name)
        : file_(need(std::fopen(name.c_str(), "w"), "cannot write")) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::fclose(file_); }
    std::FILE* get() const { return file_; }

  private:
    std::FILE* file_;
};

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension =
        need(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

}  // namespace

Authority::Authority(const std::string& name) : key_(makeKey()) {
    CertificateWish own;
    own.names.clear();
    certificate_ = makeCertificate(name, key_.get(), own);
    writeCertificate(file(), certificate_.get());
}

Authority::Key Authority::makeKey() {
    return Key(need(EVP_EC_gen("P-256"), "key"));
}

Authority::Certificate Authority::makeCertificate(const std::string& name, EVP_PKEY* key,
                                                  const CertificateWish& wish) {
    constexpr long secondsPerDay = 24L * 3600;
    Certificate made(need(X509_new(), "X509_new"));
    X509* const x509 = made.get();
    X509* const issuer = certificate_ == nullptr ? x509 : certificate_.get();
    X509_set_version(x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(x509), wish.fromDays * secondsPerDay);
    X509_gmtime_adj(X509_getm_notAfter(x509), wish.toDays * secondsPerDay);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(x509, X509_get_subject_name(issuer));
    X509_set_pubkey(x509, key);
    extend(x509, issuer, NID_basic_constraints, issuer == x509 ? "critical,CA:TRUE" : "CA:FALSE");
    extend(x509, issuer, NID_subject_key_identifier, "hash");
    if (!wish.names.empty()) extend(x509, issuer, NID_subject_alt_name, wish.names);
    need(X509_sign(x509, key_.get(), EVP_sha256()), "X509_sign");
    return made;
}

nio::TlsServerFiles Authority::issue(const std::string& base, const CertificateWish& wish) {
    const nio::TlsServerFiles files{folder_.file(base + ".pem"), folder_.file(base + ".key")};
    const Key key = makeKey();
    writeCertificate(files.certificate, makeCertificate(base, key.get(), wish).get());
    writeKey(files.key, key.get(), wish.passphrase);
    return files;
}

std::string Authority::write(const std::string& base, const std::string& text) {
    std::ofstream(folder_.file(base)) << text;
    return folder_.file(base);
}

void Authority::writeCertificate(const std::string& file, X509* certificate) {
    need(PEM_write_X509(File(file).get(), certificate), "PEM_write_X509");
}

void Authority::writeKey(const std::string& file, EVP_PKEY* key, const std::string& passphrase) {
    const EVP_CIPHER* cipher = passphrase.empty() ? nullptr : EVP_aes_256_cbc();
    need(PEM_write_PKCS8PrivateKey(File(file).get(), key, cipher, passphrase.data(),
                                   static_cast<int>(passphrase.size()), nullptr, nullptr),
         "PEM_write_PKCS8PrivateKey");
}

}  // namespace support
