// The version of the library and of its programs. While the major number is 0, a new minor number
// may change any interface.
//
// Thread: any. The build, the CMake package and the pkg-config files take the version from here.
#pragma once

#include <nio/base/Cpp20.h>

#define NIO_VERSION_MAJOR 0
#define NIO_VERSION_MINOR 1
#define NIO_VERSION_PATCH 0
#define NIO_VERSION "0.1.0"

namespace nio {

inline constexpr const char* version = NIO_VERSION;

}  // namespace nio
