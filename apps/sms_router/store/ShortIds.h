// Makes short message ids (see MessageId.h), each once in the life of the store, until all have
// been used (89 years at 1,000 a second). Without a store they begin at the clock, as Numbers.h
// has it.
//
// Reserves ids in blocks. The constructor waits for the first block. When half of a block is used,
// the next one is requested without waiting.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: the store must outlive it, and it the dispatcher.
// Errors: the constructor throws std::runtime_error where the store has failed.
#pragma once

#include "sms_router/model/MessageId.h"
#include "sms_router/store/Store.h"

namespace router {

class ShortIds {
  public:
    static constexpr std::uint64_t reservedAtOnce = 1 << 18;

    ShortIds(Store& store, nio::SelectorThread& thread);

    // 0, which is no id: all are used that the store has reserved so far; it is slow, or has
    // failed.
    MessageId make();

  private:
    struct Block {
        std::uint64_t next = 0;
        std::uint64_t left = 0;
    };

    void reserveNext();

    Store& store_;
    nio::SelectorThread& thread_;
    Block block_;
    Block behind_;  // for when that one is used up
    bool reserves_ = false;
};

}  // namespace router
