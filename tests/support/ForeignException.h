// An exception as another language's runtime raises it: not of C++.
//
// Thread: any.
#pragma once

#include <unwind.h>

#include <cstdlib>
#include <cstring>

namespace support {

inline void raiseForeign() {
    auto* exception = static_cast<_Unwind_Exception*>(std::calloc(1, sizeof(_Unwind_Exception)));
    if (exception == nullptr) std::abort();
    std::memcpy(&exception->exception_class, "OTHRLANG", sizeof exception->exception_class);
    exception->exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception* done) {
        std::free(done);
    };
    _Unwind_RaiseException(exception);
    std::abort();  // nobody has caught it
}

}  // namespace support
