// What OpenSSL said, as an Error. OpenSSL keeps its errors in a queue of each thread: clear it
// before a call, take what the call left after it.
//
// Thread: any; the calling thread's own queue.
#pragma once

#include <string>
#include <string_view>

#include <nio/base/Error.h>

namespace nio {

void clearTlsErrors();

// The reason of the last call, in OpenSSL's words; empty: none. Empties the queue.
std::string takeTlsReason();

// For a file that could not be used: the system's error if it was one ("certificate a.pem: No such
// file or directory"), else invalid_argument with OpenSSL's reason. Empties the queue.
Error takeTlsFileError(const std::string& context);

}  // namespace nio
