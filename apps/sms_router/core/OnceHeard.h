// Waits until each of several dispatchers has done what had been posted to it, and what one of them
// posted to another thereby: a new configuration goes by way of the shards to the connectors.
//
// Thread: any. `done` runs once, in a turn of `asker`, with those that did not answer within
// `patience`: they hang in a callback.
// Lifetime: the dispatchers must outlive `done`.
#pragma once

#include "sms_router/core/Gather.h"

namespace router {

void onceHeard(std::vector<nio::SelectorThread*> threads, nio::SelectorThread& asker,
               std::chrono::nanoseconds patience, nio::UniqueFunction<void(Silent silent)> done);

}  // namespace router
