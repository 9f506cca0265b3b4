// Makes short message ids (see MessageId.h), each once in the life of the store, until all have
// been used (89 years at 1,000 a second). Without a store they begin at the clock, as FirstNumber.h
// has it.
//
// Thread: one at a time. A block of them is reserved seldom; that waits for the store.
// Lifetime: the store must outlive it.
#pragma once

#include "sms_router/flow/MessageId.h"
#include "sms_router/store/Store.h"

namespace router {

class ShortIds {
  public:
    static constexpr std::uint64_t reservedAtOnce = 1 << 18;

    explicit ShortIds(Store& store) : store_(store) {}

    // 0, which is no id: the store has failed.
    MessageId make();

  private:
    Store& store_;
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace router
