// Uring for builds without io_uring: open() always fails.
#include <nio/sys/uring/UringAbi.h>

#if !NIO_HAS_URING

#include <nio/sys/uring/Uring.h>

// Older kernel headers define them.
#if !NIO_HAS_URING_HEADER
struct io_uring_params {};
struct io_uring_sqe {};
#endif

namespace nio::kernel {

Result<UringBuffers> UringBuffers::reserve(std::size_t, std::size_t) {
    return Error(Errc::notSupported, "io_uring (this build was made without it)");
}
UringBuffers::~UringBuffers() = default;
void UringBuffers::swap(UringBuffers&) noexcept {}
bool UringBuffers::provideMore() {
    return false;
}
void UringBuffers::giveBack(Id) {}
void UringBuffers::publish() {}
Result<void> UringBuffers::prepareToStartOver() {
    return Errc::notSupported;
}
void UringBuffers::startOver() {}

Result<std::unique_ptr<Uring>> Uring::open(UringBuffers&) {
    return Error(Errc::notSupported, "io_uring (this build was made without it)");
}
Uring::~Uring() = default;
Uring::Map::~Map() = default;
Result<void> Uring::signalTo(int) {
    return Errc::notSupported;
}
void Uring::receive(int, bool, std::uint64_t) {}
void Uring::poll(int, short, bool, std::uint64_t) {}
void Uring::send(int, ByteView, std::uint64_t) {}
void Uring::sendPieces(int, std::span<const iovec>, std::uint64_t) {}
void Uring::cancel(std::uint64_t) {}
bool Uring::withdraw(std::uint64_t) {
    return false;
}
Result<void> Uring::submitAndWait(WaitTime) {
    return Errc::notSupported;
}
bool Uring::isAllSubmitted() const {
    return true;
}
bool Uring::hasOverflow() const {
    return false;
}
bool Uring::take(Completion&) {
    return false;
}

}  // namespace nio::kernel

#endif
