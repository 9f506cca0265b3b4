#include "simulation/router/Wire.h"

#include <algorithm>

namespace simulation {

void Wire::pump(Random& random, bool eager) {
    if (closed_) return;
    constexpr std::size_t most = 64 * 1024;
    const bool writes = eager || random.chance(500);
    if (writes && !out_.empty()) write(eager ? most : 1 + random.anySize(300));
    if (eager || !writes) read(eager ? most : 1 + random.anySize(2000));
}

// One that is broken shows when the rest has been read, too.
void Wire::write(std::size_t most) {
    const std::size_t size = std::min(most, out_.size());
    const nio::IoResult sent = connection_->send(side_, nio::ByteView(out_).first(size));
    if (!sent.isDone()) return;
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent.bytes));
    machine_.countProgress();
}

void Wire::read(std::size_t most) {
    if (over_) return;
    nio::Bytes into(std::min(most, connection_->unread(side_)));
    const nio::IoResult got = connection_->receive(side_, into);
    if (got.status == nio::IoStatus::wouldBlock) return;
    machine_.countProgress();
    over_ = !got.isDone();
    if (!over_) {
        in_.insert(in_.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    }
}

void Wire::close(bool reset) {
    if (std::exchange(closed_, true)) return;
    over_ = true;
    connection_->close(side_, reset);
    machine_.countProgress();
}

}  // namespace simulation
