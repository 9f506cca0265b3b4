// All of a file, for those that are read before anything else happens.
//
// Thread: any; it blocks.
#pragma once

#include <cstddef>
#include <string>

#include <nio/base/Result.h>

namespace apps {

// Errors: what the system says of it; file_too_large, above `most` bytes: a device need not end.
nio::Result<std::string> readFile(const std::string& path, std::size_t most);

}  // namespace apps
