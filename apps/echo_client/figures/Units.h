// Numbers as a reader wants them, see common/Units.h.
#pragma once

#include "common/Units.h"

namespace load {

using apps::fixed;
using apps::microsOf;
using apps::microsWithUnit;
using apps::withUnit;

}  // namespace load
