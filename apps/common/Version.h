// The version of the project, as the build knows it.
#pragma once

namespace apps {

#ifdef NIO_VERSION
inline constexpr const char* version = NIO_VERSION;
#else
inline constexpr const char* version = "unknown";
#endif

}  // namespace apps
