#include "common/tls/TlsBio.h"

#include <openssl/bio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace apps {

namespace {

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

}  // namespace apps
