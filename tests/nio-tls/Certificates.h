// Certificates and keys made at run time, as PEM files in a folder that goes with the test: nothing
// of the kind is kept in the tree.
//
// Thread: one at a time. Errors: std::runtime_error.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include <nio-tls/TlsContext.h>
#include "nio/sys/KernelTesting.h"

namespace support {

struct CertificateWish {
    std::string names =
        "DNS:smsc.example.org";  // subjectAltName, as OpenSSL's configuration has it
    long fromDays = -1;          // from now
    long toDays = 1;
    std::string passphrase{};  // of the key; empty: none
};

// Makes certificates, and is one itself.
class Authority {
  public:
    explicit Authority(const std::string& name);

    // PEM file, for TlsTrust.
    std::string file() const { return folder_.file("authority.pem"); }
    // `base` names the files.
    nio::TlsServerFiles issue(const std::string& base, const CertificateWish& wish = {});
    // A file of the same folder with this text in it.
    std::string write(const std::string& base, const std::string& text);

  private:
    struct Free {
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
        void operator()(X509* certificate) const { X509_free(certificate); }
    };
    using Key = std::unique_ptr<EVP_PKEY, Free>;
    using Certificate = std::unique_ptr<X509, Free>;

    static Key makeKey();
    Certificate makeCertificate(const std::string& name, EVP_PKEY* key,
                                const CertificateWish& wish);
    void writeCertificate(const std::string& file, X509* certificate);
    void writeKey(const std::string& file, EVP_PKEY* key, const std::string& passphrase);

    nio::kerneltest::TemporaryFolder folder_;
    Key key_;
    Certificate certificate_;
    long serial_ = 0;
};

}  // namespace support
