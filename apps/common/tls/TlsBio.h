// Between OpenSSL and our bytes: a BIO that reads from a view and writes to a sink, both lent for
// one call. Unlike OpenSSL's own memory BIOs it keeps nothing and copies nothing twice.
//
// A read finds "nothing yet" where the view ends; a write always takes all. What the sink throws is
// kept, since it may not fly through OpenSSL: rethrow it after the call.
//
// Thread: one at a time.
#pragma once

#include <exception>

#include <nio/base/Bytes.h>

struct bio_st;

namespace apps {

struct TlsBytes {
    nio::ByteView input{};
    nio::ByteSink* output = nullptr;
    std::exception_ptr thrown{};
};

// `bytes` must outlive the BIO, which belongs to whoever it is given to (SSL_set_bio). Throws
// std::bad_alloc.
bio_st* newTlsBio(TlsBytes& bytes);

}  // namespace apps
