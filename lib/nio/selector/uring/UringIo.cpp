#include <nio/selector/uring/UringIo.h>

#include <algorithm>
#include <array>
#include <functional>
#include <new>

#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>
#include <nio/selector/InPlaceFilter.h>
#include <nio/selector/SelectionKey.h>

namespace nio {

namespace {

// Fills in pieces for the first `bytes`, as many as fit; returns the number of pieces.
std::size_t firstBytes(const OutputQueue& queue, std::size_t bytes, std::span<iovec> into) {
    std::size_t count = queue.front(into).size();
    for (std::size_t i = 0; i < count; ++i) {
        into[i].iov_len = std::min(into[i].iov_len, bytes);
        bytes -= into[i].iov_len;
        if (bytes == 0) count = i + 1;
    }
    return count;
}

}  // namespace

UringIo::UringIo(kernel::UringBuffers buffers, UringTable& table)
    : buffers_(std::move(buffers)), links_(new Link[buffers_.capacity()]), table_(table) {}

UringOperations& UringIo::of(SelectableChannel& channel) {
    return *static_cast<SelectionKey*>(channel.registration())->operations_;
}

// --- input ----------------------------------------------------------------------------------

Received UringIo::receive(SocketChannel& channel) {
    takeShownBack();
    UringOperations& operations = of(channel);
    if (channel.hasUnread()) {
        const std::size_t count = channel.takeUnread(scratch());
        operations.key->noteChange();
        return {IoStatus::done, {}, scratch().first(count)};
    }
    if (operations.hasInput()) {
        shown_ = takeInput(operations);
        if (!operations.input.receiving) operations.key->noteChange();
        return {IoStatus::done, {}, {buffers_.data(shown_), links_[shown_].bytes}};
    }
    if (operations.input.error != std::errc{}) {
        return {IoStatus::failed, operations.input.error, {}};
    }
    if (operations.input.atEnd) return {IoStatus::closed, {}, {}};
    if (operations.output.error != std::errc{})
        return {IoStatus::failed, operations.output.error, {}};
    if (operations.input.receiving) return {};
    // No receive is in flight for it: it had no read interest.
    const IoResult read = kernel::receive(channel.fd(), scratch());
    return {read.status, read.code, scratch().first(read.bytes)};
}

std::span<Byte> UringIo::scratch() {
    if (scratch_ == nullptr) scratch_.reset(new Byte[buffers_.bytesEach()]);
    return {scratch_.get(), buffers_.bytesEach()};
}

void UringIo::takeShownBack() {
    if (shown_ != UringOperations::none && !shownIsLent_) buffers_.giveBack(shown_);
    shown_ = UringOperations::none;
    shownIsLent_ = false;
}

void UringIo::keepInput(UringOperations& operations, UringOperations::Buffer buffer,
                        std::size_t bytes) {
    links_[buffer] = {static_cast<std::uint32_t>(bytes), UringOperations::none};
    (operations.hasInput() ? links_[operations.input.last].next : operations.input.first) = buffer;
    operations.input.last = buffer;
    operations.input.bytes += static_cast<std::uint32_t>(bytes);
    ++operations.input.buffers;
}

UringOperations::Buffer UringIo::takeInput(UringOperations& operations) {
    const UringOperations::Buffer taken = operations.input.first;
    operations.input.first = links_[taken].next;
    operations.input.bytes -= links_[taken].bytes;
    --operations.input.buffers;
    return taken;
}

bool UringIo::moveInputAway(UringOperations& operations, SocketChannel& channel) try {
    while (operations.hasInput()) {
        const UringOperations::Buffer buffer = operations.input.first;
        channel.unread({buffers_.data(buffer), links_[buffer].bytes});
        buffers_.giveBack(takeInput(operations));
    }
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

void UringIo::dropAll(UringOperations& operations) {
    while (operations.hasInput()) buffers_.giveBack(takeInput(operations));
    endLoan(operations);
}

// --- output ---------------------------------------------------------------------------------

IoResult UringIo::write(SocketChannel& channel, ByteView direct) {
    UringOperations& operations = of(channel);
    if (operations.output.error != std::errc{}) return IoResult::failed(operations.output.error);
    if (lend(operations, channel, direct)) return IoResult::done(direct.size());
    channel.output().append(direct, chunks());
    return flush(channel);
}

// Zero-copy: bytes just received are sent from the receive buffer; so are bytes that follow there.
bool UringIo::lend(UringOperations& operations, SocketChannel& channel, ByteView direct) {
    if (!channel.output().empty() || operations.output.slow || direct.empty()) return false;
    const bool isFirst = operations.output.lent == UringOperations::none;
    const UringOperations::Buffer buffer = isFirst ? shown_ : operations.output.lent;
    if (buffer == UringOperations::none || (isFirst && shownIsLent_)) return false;
    const Byte* begin = buffers_.data(buffer);
    const Byte* end = begin + links_[buffer].bytes;
    if (std::less<>()(direct.data(), begin) || !std::less<>()(direct.data(), end)) return false;
    const auto offset = static_cast<std::uint32_t>(direct.data() - begin);
    if (isFirst) {
        operations.output.lent = shown_;
        operations.output.lentBegin = offset;
        shownIsLent_ = true;
    } else if (offset != operations.output.lentBegin + operations.output.lentBytes) {
        return false;
    }
    operations.output.lentBytes += static_cast<std::uint32_t>(direct.size());
    wish(operations);
    return true;
}

// A buffer still shown to a callback is returned when the callback ends.
void UringIo::endLoan(UringOperations& operations) {
    const bool isShown = operations.output.lent == shown_ && shownIsLent_;
    if (isShown) shownIsLent_ = false;
    if (operations.output.lent != UringOperations::none && !isShown)
        buffers_.giveBack(operations.output.lent);
    operations.output.lent = UringOperations::none;
    operations.output.lentBytes = 0;
}

IoResult UringIo::flush(SocketChannel& channel) {
    UringOperations& operations = of(channel);
    if (operations.output.error != std::errc{}) return IoResult::failed(operations.output.error);
    if (operations.output.slow) return sendNow(operations, channel);
    if (channel.pendingBytes() == 0) return IoResult::done(0);
    const std::size_t before = channel.handedOverBytes();
    const std::size_t room = maximumHandedOver - std::min(maximumHandedOver, before);
    const std::size_t more = std::min(channel.pendingBytes(), room);
    channel.setHandedOverBytes(before + more);
    wish(operations);
    return more > 0 ? IoResult::done(more) : IoResult::wouldBlock();
}

// To a peer whose socket has filled up, output is sent directly until all of it has left.
IoResult UringIo::sendNow(UringOperations& operations, SocketChannel& channel) {
    const IoResult sent = sendQueued(channel);
    operations.output.slow = operations.output.stalled = !channel.output().empty();
    // The handler may not change its interest again: make sure that the poll is armed.
    if (operations.output.stalled) operations.key->noteChange();
    if (sent.isFailed()) operations.output.error = sent.code;
    return sent;
}

void UringIo::wish(UringOperations& operations) {
    if (operations.output.wished) return;
    operations.output.wished = true;
    ++operations.references;
    wishes_.push_back(&operations);
    // Includes a FIN deferred before the last select.
    finDeferred_ =
        finDeferred_ || static_cast<SocketChannel&>(operations.key->channel()).finDeferred();
}

// Returns the bytes submitted: without memory for the list of pieces only the first piece.
std::size_t UringIo::send(int fd, std::span<const iovec> pieces, kernel::Uring& ring,
                          std::uint64_t tag) {
    std::size_t total = 0;
    for (const iovec& piece : pieces) total += piece.iov_len;
    if (total == 0) return 0;
    if (pieces.size() > 1) {
        try {
            ring.sendPieces(fd, pieces, tag);
            return total;
        } catch (const std::bad_alloc&) {
            total = pieces[0].iov_len;
        }
    }
    ring.send(fd, {static_cast<const Byte*>(pieces[0].iov_base), total}, tag);
    return total;
}

void UringIo::reserve(std::size_t keys) {
    wishes_.reserve(keys);
    submitted_.reserve(keys);
}

bool UringIo::submitAll(kernel::Uring& ring) {
    InPlaceFilter wishes(wishes_);
    bool all = true;
    while (wishes.hasNext()) {
        UringOperations* operations = wishes.next();
        if (operations->output.submitted > 0) {
            wishes.keep();
            all = false;
            continue;
        }
        const bool sends = submit(*operations, ring);
        wishes.drop();
        operations->output.wished = false;
        if (sends) all = all && isSubmittedWhole(*operations);
        sends ? submitted_.push_back(operations) : table_.release(*operations);
    }
    return all;
}

void UringIo::settleAll() {
    for (UringOperations* operations : submitted_) {
        settle(*operations);
        table_.release(*operations);
    }
    submitted_.clear();
}

void UringIo::takeBack(kernel::Uring* ring) {
    for (UringOperations* operations : submitted_) {
        if (ring == nullptr || !ring->withdraw(operations->tag(UringOperations::Kind::send))) {
            settle(*operations);
            table_.release(*operations);
            continue;
        }
        operations->output.submitted = 0;
        if (std::exchange(operations->output.wished, true)) {
            table_.release(*operations);
        } else {
            wishes_.push_back(operations);
        }
    }
    submitted_.clear();
}

bool UringIo::submit(UringOperations& operations, kernel::Uring& ring) {
    if (operations.key == nullptr) return false;
    auto& channel = static_cast<SocketChannel&>(operations.key->channel());
    std::array<iovec, kernel::Uring::maximumPieces> room;
    std::size_t count = 0;
    if (operations.output.lentBytes > 0) {
        Byte* begin = buffers_.data(operations.output.lent) + operations.output.lentBegin;
        room[count++] = {begin, operations.output.lentBytes};
    }
    const std::size_t queued = channel.handedOverBytes();
    if (queued > 0) count += firstBytes(channel.output(), queued, std::span(room).subspan(count));
    const std::size_t total =
        send(channel.fd(), {room.data(), count}, ring, operations.tag(UringOperations::Kind::send));
    if (total == 0) return false;
    operations.output.submitted = static_cast<std::uint32_t>(total);
    operations.output.fellShort = false;
    return true;
}

bool UringIo::isSubmittedWhole(const UringOperations& operations) const {
    const auto& channel = static_cast<const SocketChannel&>(operations.key->channel());
    return operations.output.submitted == operations.output.lentBytes + channel.handedOverBytes();
}

void UringIo::settle(UringOperations& operations) {
    std::size_t done = std::exchange(operations.output.submitted, 0u);
    if (operations.output.fellShort) {
        done = static_cast<std::size_t>(std::max(operations.output.result, 0));
    }
    counters().bytesOut.add(done);
    if (operations.key == nullptr) return;
    auto& channel = static_cast<SocketChannel&>(operations.key->channel());
    const auto ofLoan =
        static_cast<std::uint32_t>(std::min<std::size_t>(done, operations.output.lentBytes));
    operations.output.lentBegin += ofLoan;
    operations.output.lentBytes -= ofLoan;
    if (operations.output.lentBytes == 0) endLoan(operations);
    if (done > ofLoan) {
        channel.output().consume(done - ofLoan, chunks());
        channel.setHandedOverBytes(channel.handedOverBytes() - (done - ofLoan));
    }
    if (operations.output.fellShort) return sendFellShort(operations, channel);
    if (operations.output.lentBytes > 0 || channel.handedOverBytes() > 0) return wish(operations);
    finishIfDue(channel);
}

// The rest is pending again, even if the connection has failed: flush() then reports the failure
// to the handler, and the lost bytes are counted.
void UringIo::sendFellShort(UringOperations& operations, SocketChannel& channel) {
    operations.output.fellShort = false;
    const auto code = static_cast<std::errc>(-std::min(operations.output.result, 0));
    if (code != std::errc{} && code != std::errc::resource_unavailable_try_again) {
        operations.output.error = code;
    }
    takeLoanOver(operations, channel);
    channel.setHandedOverBytes(0);
    operations.output.slow = true;
    operations.output.stalled = false;  // the handler must be told, and count it
    if (!operations.closing) operations.key->addInterest(Interest::write);
}

// The connection fails if the rest of the loan cannot be copied for lack of memory.
void UringIo::takeLoanOver(UringOperations& operations, SocketChannel& channel) {
    if (operations.output.lentBytes > 0) {
        const Byte* rest = buffers_.data(operations.output.lent) + operations.output.lentBegin;
        try {
            channel.output().prepend({rest, operations.output.lentBytes}, chunks());
        } catch (const std::bad_alloc&) {
            operations.output.error = std::errc::not_enough_memory;
        }
    }
    endLoan(operations);
}

// FIN must not overtake output that leaves with the next wait.
Result<void> UringIo::shutdownWrite(SocketChannel& channel) {
    UringOperations& operations = of(channel);
    const bool waits = operations.output.lentBytes > 0 || channel.handedOverBytes() > 0;
    if (!waits && channel.output().empty()) return kernel::shutdownWrite(channel.fd());
    channel.deferFin();
    finDeferred_ = true;
    return {};
}

bool UringIo::isSending(SocketChannel& channel) {
    const UringOperations& operations = of(channel);
    return operations.output.wished || operations.output.submitted > 0;
}

// --- the rest is no matter of completion ----------------------------------------------------

IoResult UringIo::connect(SocketChannel& channel, const SocketAddress& address) {
    return kernel::connect(channel.fd(), address);
}

IoResult UringIo::connectOutcome(SocketChannel& channel) {
    return kernel::connectOutcome(channel.fd());
}

kernel::Accepted UringIo::accept(ServerSocketChannel& channel) {
    return kernel::accept(channel.fd());
}

}  // namespace nio
