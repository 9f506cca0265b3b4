// A type's name as it is written in the source.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <typeinfo>

#include <nio/base/Cpp20.h>

namespace nio {

// Of a handler that was compiled without RTTI, for which its type_info is null.
inline constexpr std::string_view withoutName = "(no RTTI)";
std::string typeName(const std::type_info* type);

}  // namespace nio
