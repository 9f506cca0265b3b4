// What the tests of IdMap share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sms_router/delivery/IdMap.h"

namespace router::idmaptest {

inline const std::string number = "41790000005";

inline AddressMark mark(std::string_view address) {
    return AddressMark::of(address);
}

inline IdEntry entryOf(MessageId id, std::string smscId, bool wantsReceipt = true) {
    IdEntry entry;
    entry.id = id;
    entry.shown = id;
    entry.smscId = std::move(smscId);
    entry.destination = mark(number);
    entry.wantsReceipt = wantsReceipt;
    return entry;
}

// Few of everything: 5 entries; 100 s, 30 s without a receipt, 10 s after the last.
inline IdMap::Limits small() {
    return {5, 100, 30, 10};
}

using Ids = std::vector<MessageId>;

}  // namespace router::idmaptest
