// Waits until each of several dispatchers has done what had been posted to it, and what one of them
// posted to another thereby: a new configuration goes by way of the shards to the connectors.
//
// Thread: any. `done` runs once, in a turn of `asker`, with those that did not answer: within twice
// `patience` at most, as there are two ways to go.
// Lifetime: `asker` must outlive what the others still have to do.
#pragma once

#include "sms_router/core/Gather.h"

namespace router {

void onceHeard(std::vector<nio::SelectorThread*> threads, nio::SelectorThread& asker,
               std::chrono::nanoseconds patience, nio::UniqueFunction<void(Silent silent)> done);

}  // namespace router
