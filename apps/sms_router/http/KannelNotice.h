// A notice as Kannel gives it: a URL whose escapes are filled in.
//
//     http://shop.example/dlr?id=17&type=%d&phone=%p
//
// Thread: any; pure.
// Source: docs/kannel-and-jasmin.md.
#pragma once

#include <string>
#include <string_view>

#include "sms_router/http/Notice.h"

namespace router {

namespace kannel {
// Kinds of receipts: bits of dlr-mask, and what %d says.
constexpr unsigned delivered = 1;
constexpr unsigned failed = 2;
constexpr unsigned buffered = 4;
constexpr unsigned intermediate = 32;
}  // namespace kannel

unsigned kannelKindOf(const smpp::Receipt& receipt);

// An escape that is not known stays as it is.
std::string kannelUrl(std::string_view url, const Notice& notice);

}  // namespace router
