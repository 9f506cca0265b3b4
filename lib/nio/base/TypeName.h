// A type's name as it is written in the source.
//
// Thread: any.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>

#include <nio/base/Cpp20.h>

namespace nio {

// The name of a handler compiled without RTTI, whose type_info is null.
inline constexpr std::string_view withoutName = "(no RTTI)";
inline std::string typeName(const std::type_info* type) {
    if (type == nullptr) return std::string(withoutName);
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
    return plain != nullptr ? plain.get() : type->name();
}

}  // namespace nio
