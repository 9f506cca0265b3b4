#include "simulation/Ring.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>

#include <nio/sys/Kernel.h>

#include "simulation/Machine.h"

namespace simulation {

// What both sides see; behind it the order of submissions, then the completions.
struct Ring::Words {
    std::uint32_t submissionHead;
    std::uint32_t submissionTail;
    std::uint32_t submissionFlags;
    std::uint32_t completionHead;
    std::uint32_t completionTail;
    std::uint32_t unused;
};

namespace {

std::size_t completionsAt(std::size_t words, std::uint32_t submissions) {
    constexpr std::size_t alignment = alignof(io_uring_cqe);
    const std::size_t end = words + submissions * sizeof(std::uint32_t);
    return (end + alignment - 1) / alignment * alignment;
}

std::int32_t failure(std::errc code) {
    return -static_cast<std::int32_t>(code);
}

}  // namespace

// --- the calls ------------------------------------------------------------------------------

void Ring::setUp(io_uring_params& parameters) const {
    parameters.features = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE |
                          IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP;
    parameters.sq_entries = entries_.submissions;
    parameters.cq_entries = entries_.completions;
    parameters.sq_off.head = offsetof(Words, submissionHead);
    parameters.sq_off.tail = offsetof(Words, submissionTail);
    parameters.sq_off.flags = offsetof(Words, submissionFlags);
    parameters.sq_off.array = sizeof(Words);
    parameters.cq_off.head = offsetof(Words, completionHead);
    parameters.cq_off.tail = offsetof(Words, completionTail);
    parameters.cq_off.cqes =
        static_cast<std::uint32_t>(completionsAt(sizeof(Words), entries_.submissions));
}

void* Ring::map(std::size_t bytes, off_t offset) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return memory;
    if (offset == IORING_OFF_SQES) {
        submissions_ = static_cast<io_uring_sqe*>(memory);
    } else {
        words_ = static_cast<Words*>(memory);
    }
    return memory;
}

void Ring::provide(const io_uring_buf_reg& buffers) {
    buffers_ = reinterpret_cast<const io_uring_buf*>(buffers.ring_addr);
    buffersMask_ = static_cast<std::uint16_t>(buffers.ring_entries - 1);
}

long Ring::enter(std::uint32_t count, bool sleeps, std::optional<std::chrono::nanoseconds> wait,
                 const std::function<void()>& asleep) {
    if (isOfAnother_) return failure(std::errc::file_exists);
    const long taken = begin(count);
    if (taken < static_cast<long>(count) || !sleeps || hasCompletions()) return taken;
    asleep();
    progress();
    if (hasCompletions()) return taken;
    fallAsleep(wait);
    return taken > 0 ? taken : failure(wait ? std::errc::stream_timeout : std::errc::interrupted);
}

long Ring::begin(std::uint32_t count) {
    sleepsUntil_ = machine_.now();
    makeRoom();
    std::uint32_t taken = 0;
    while (taken < count) {
        if (machine_.faults().strikes(Fault::ringTakesLess)) break;
        const io_uring_sqe entry =
            submissions_[words_->submissionHead & (entries_.submissions - 1)];
        ++words_->submissionHead;
        ++taken;
        issue(entry);
    }
    if (taken == 0 && count > 0) return failure(std::errc::resource_unavailable_try_again);
    if (!machine_.faults().strikes(Fault::interruptedWait)) progress();
    return taken;
}

// --- operations -----------------------------------------------------------------------------

void Ring::issue(const io_uring_sqe& entry) {
    const bool known = machine_.find(entry.fd) != nullptr;
    switch (entry.opcode) {
        case IORING_OP_NOP: return complete(entry.user_data, 0);
        case IORING_OP_ASYNC_CANCEL: return cancel(entry.addr);
        default: break;
    }
    machine_.journal().note("issue", entry.opcode, static_cast<std::uint64_t>(entry.fd));
    if (!known) return complete(entry.user_data, failure(std::errc::bad_file_descriptor));
    switch (entry.opcode) {
        case IORING_OP_SEND:
        case IORING_OP_SENDMSG: return send(entry);
        case IORING_OP_RECV:
            return begin({entry.opcode, entry.fd, entry.user_data,
                          (entry.ioprio & IORING_RECV_MULTISHOT) != 0, 0});
        case IORING_OP_POLL_ADD:
            return begin({entry.opcode, entry.fd, entry.user_data,
                          (entry.len & IORING_POLL_ADD_MULTI) != 0, entry.poll_events});
        default: complete(entry.user_data, failure(std::errc::invalid_argument));
    }
}

// What can be done at once is done at once, in the order of the queue.
void Ring::begin(const Operation& operation) {
    const auto isSame = [&](const Operation& each) { return each.tag == operation.tag; };
    if (std::any_of(operations_.begin(), operations_.end(), isSame)) {
        return machine_.journal().fail("a ring is given the same operation twice");
    }
    Operation begun = operation;
    if (!isDue(begun) || !perform(begun)) operations_.push_back(begun);
}

// It tells nothing of success; a short one is no success.
void Ring::send(const io_uring_sqe& entry) {
    iovec whole{reinterpret_cast<void*>(entry.addr), entry.len};
    std::span<const iovec> pieces(&whole, 1);
    if (entry.opcode == IORING_OP_SENDMSG) {
        const auto* message = reinterpret_cast<const msghdr*>(entry.addr);
        pieces = {message->msg_iov, message->msg_iovlen};
    }
    std::size_t wanted = 0;
    for (const iovec& piece : pieces) wanted += piece.iov_len;
    const nio::IoResult sent = nio::kernel::sendPieces(entry.fd, pieces);
    if (sent.isDone() && sent.bytes == wanted) return;
    if (sent.isDone()) return complete(entry.user_data, static_cast<std::int32_t>(sent.bytes));
    const bool blocks = sent.status == nio::IoStatus::wouldBlock;
    complete(entry.user_data,
             failure(blocks ? std::errc::resource_unavailable_try_again : sent.code));
}

// What was due may have come before it.
void Ring::cancel(std::uint64_t tag) {
    const auto found = std::find_if(operations_.begin(), operations_.end(),
                                    [&](const Operation& each) { return each.tag == tag; });
    if (found == operations_.end()) {
        return complete(0, failure(std::errc::no_such_file_or_directory));
    }
    const bool isOver = isDue(*found) && machine_.random().chance(300) && perform(*found);
    if (!isOver) complete(tag, failure(std::errc::operation_canceled));
    operations_.erase(found);
}

void Ring::progress() {
    std::vector<std::uint64_t> order;
    for (const Operation& each : operations_) order.push_back(each.tag);
    for (std::size_t left = order.size(); left > 1; --left) {
        std::swap(order[left - 1], order[machine_.random().below(left)]);
    }
    for (const std::uint64_t tag : order) {
        const auto found = std::find_if(operations_.begin(), operations_.end(),
                                        [&](const Operation& each) { return each.tag == tag; });
        if (!isDue(*found) || machine_.faults().strikes(Fault::withheldEvent)) continue;
        if (perform(*found)) operations_.erase(found);
    }
}

bool Ring::isDue(const Operation& operation) const {
    return eventsOf(operation) != 0;
}

// Of a receive: what ends it.
std::uint32_t Ring::eventsOf(const Operation& operation) const {
    const Descriptor* descriptor = machine_.find(operation.fd);
    if (descriptor == nullptr) return 0;
    if (descriptor->kind == Descriptor::Kind::event && operation.wasTold) return 0;
    const Readiness ready = machine_.readiness(*descriptor);
    const bool receives = operation.code == IORING_OP_RECV;
    std::uint32_t events = 0;
    if (ready.input) events |= POLLIN;
    if (ready.output) events |= POLLOUT;
    events &= receives ? std::uint32_t{POLLIN} : operation.events;
    if (ready.error) events |= POLLERR;
    if (ready.hangUp) events |= POLLHUP;
    return events;
}

bool Ring::perform(Operation& operation) {
    return operation.code == IORING_OP_RECV ? receive(operation) : poll(operation);
}

bool Ring::poll(Operation& operation) {
    operation.wasTold = true;
    const bool goesOn = operation.again && hasRoom();
    complete(operation.tag, static_cast<std::int32_t>(eventsOf(operation)),
             goesOn ? IORING_CQE_F_MORE : 0);
    return !goesOn;
}

bool Ring::receive(const Operation& operation) {
    const io_uring_buf* buffer = nextBuffer();
    if (buffer == nullptr) {
        complete(operation.tag, failure(std::errc::no_buffer_space));
        return true;
    }
    const nio::IoResult got = nio::kernel::receive(
        operation.fd, {reinterpret_cast<nio::Byte*>(buffer->addr), buffer->len});
    switch (got.status) {
        case nio::IoStatus::wouldBlock: return false;
        case nio::IoStatus::closed: complete(operation.tag, 0); return true;
        case nio::IoStatus::failed: complete(operation.tag, failure(got.code)); return true;
        case nio::IoStatus::done: break;
    }
    ++buffersHead_;
    std::uint32_t flags =
        IORING_CQE_F_BUFFER | (std::uint32_t{buffer->bid} << IORING_CQE_BUFFER_SHIFT);
    const bool goesOn = operation.again && hasRoom();
    if (goesOn) flags |= IORING_CQE_F_MORE;
    if (isDue(operation)) flags |= IORING_CQE_F_SOCK_NONEMPTY;
    complete(operation.tag, static_cast<std::int32_t>(got.bytes), flags);
    return !goesOn;
}

const io_uring_buf* Ring::nextBuffer() const {
    const std::uint16_t tail = buffers_[0].resv;
    return buffersHead_ == tail ? nullptr : &buffers_[buffersHead_ & buffersMask_];
}

// --- completions ----------------------------------------------------------------------------

void Ring::complete(std::uint64_t tag, std::int32_t result, std::uint32_t flags) {
    io_uring_cqe entry{};
    entry.user_data = tag;
    entry.res = result;
    entry.flags = flags;
    machine_.journal().note("complete", static_cast<std::uint64_t>(result), flags);
    overflow_.push_back(entry);
    makeRoom();
}

void Ring::makeRoom() {
    auto* completions = reinterpret_cast<io_uring_cqe*>(
        reinterpret_cast<char*>(words_) + completionsAt(sizeof(Words), entries_.submissions));
    while (!overflow_.empty() && hasRoom()) {
        completions[words_->completionTail++ & (entries_.completions - 1)] = overflow_.front();
        overflow_.pop_front();
    }
    words_->submissionFlags = overflow_.empty() ? 0 : IORING_SQ_CQ_OVERFLOW;
}

// What goes on ends where there is none.
bool Ring::hasRoom() const {
    return words_->completionTail - words_->completionHead < entries_.completions;
}

bool Ring::hasCompletions() const {
    return words_->completionHead != words_->completionTail;
}

// --- sleep ----------------------------------------------------------------------------------

void Ring::fallAsleep(std::optional<std::chrono::nanoseconds> wait) {
    sleepsUntil_ = wait ? machine_.now() + nio::Clock::bounded(*wait) : nio::TimePoint::max();
}

bool Ring::isAsleep() const {
    if (!sleepsUntil_ || *sleepsUntil_ <= machine_.now() || hasCompletions()) return false;
    return std::none_of(operations_.begin(), operations_.end(),
                        [this](const Operation& each) { return isDue(each); });
}

bool Ring::hasSignal() const {
    return std::any_of(operations_.begin(), operations_.end(), [this](const Operation& each) {
        const Descriptor* descriptor = machine_.find(each.fd);
        return descriptor != nullptr && descriptor->kind == Descriptor::Kind::event &&
               descriptor->signals > 0 && !each.wasTold;
    });
}

void Ring::eventSignalled(int fd) {
    for (Operation& each : operations_) {
        if (each.fd == fd) each.wasTold = false;
    }
}

bool Ring::hasOperationOn(int fd) const {
    return std::any_of(operations_.begin(), operations_.end(),
                       [&](const Operation& each) { return each.fd == fd; });
}

}  // namespace simulation
