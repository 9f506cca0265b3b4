// A type's name as it is written in the source.
//
// Thread: any.
#pragma once

#include <string>
#include <typeinfo>

namespace nio {

std::string typeName(const std::type_info& type);

}  // namespace nio
