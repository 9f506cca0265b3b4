// Answers in the content coding gzip.
//
// What a stranger sees of an encrypted answer is its size. None has a key or a password beside text
// that a stranger chooses.
//
// Thread: any; pure.
// Source: RFC 9110, 8.4.1.3 (gzip), 12.5.3 (Accept-Encoding) and 12.5.5 (Vary); RFC 1952.
#pragma once

#include "common/http/HttpResponse.h"

namespace apps {

// Only by name: for "*" alone an answer stays as it is.
bool acceptsGzip(const HttpRequest& request);

// A body that takes more than one packet varies with Accept-Encoding: it is gzip where the client
// accepts that and it becomes shorter.
void compress(HttpResponse& response, bool isAccepted);

}  // namespace apps
