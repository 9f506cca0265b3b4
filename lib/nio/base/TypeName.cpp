#include <nio/base/TypeName.h>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace nio {

std::string typeName(const std::type_info* type) {
    if (type == nullptr) return std::string(withoutName);
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
    return plain != nullptr ? plain.get() : type->name();
}

}  // namespace nio
