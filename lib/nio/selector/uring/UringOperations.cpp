#include <nio/selector/uring/UringOperations.h>

#include <poll.h>

namespace nio {

void UringOperations::poll(kernel::Uring& ring, int fd, Kind kind) {
    const bool in = kind == Kind::pollIn;
    if (in ? pollingIn : pollingOut) return;
    ring.poll(fd, in ? POLLIN : POLLOUT, false, tag(kind));
    if (in) pollingIn = true;
    if (!in) pollingOut = true;
    ++references;
}

void UringOperations::withdraw(kernel::Uring& ring) {
    const auto withdrawn = [&](Kind kind) { return ring.withdraw(tag(kind)); };
    if (output.submitted > 0 && withdrawn(Kind::send)) output.submitted = 0;
    if (withdrawn(Kind::receive)) input.receiving = false, --references;
    if (withdrawn(Kind::pollIn)) pollingIn = false, --references;
    if (withdrawn(Kind::pollOut)) pollingOut = false, --references;
}

void UringOperations::endRing() {
    const std::uint32_t stood = std::uint32_t{input.receiving} + pollingIn + pollingOut;
    input.receiving = pollingIn = pollingOut = input.cancelling = false;
    references -= stood;
}

UringOperations& UringTable::add(SelectionKey& key) {
    auto operations = std::make_unique<UringOperations>(key);
    operations->index = static_cast<std::uint32_t>(all_.size());
    all_.push_back(operations.get());
    return *operations.release();
}

void UringTable::free(UringOperations& operations) {
    all_[operations.index] = all_.back();
    all_[operations.index]->index = operations.index;
    all_.pop_back();
    delete &operations;
}

}  // namespace nio
