// A selection key that is nothing more than one.
#pragma once

#include <nio/selector/SelectionKey.h>

namespace support {

struct PlainKey final : nio::SelectionKey {
    using SelectionKey::SelectionKey;
    ~PlainKey() override = default;
};

}  // namespace support
