// Where a …Later call reports that it was refused once it ran. Called at most once.
//
// Thread: called on the dispatcher that ran the call.
// Source: ONJava article 2004, CallbackErrorHandler.
#pragma once

#include <nio/base/Error.h>
#include <nio/base/UniqueFunction.h>

namespace nio {

using CallbackErrorHandler = UniqueFunction<void(const Error&)>;

}  // namespace nio
