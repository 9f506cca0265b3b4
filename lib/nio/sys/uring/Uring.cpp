#include <nio/sys/uring/Uring.h>

#include <nio/sys/uring/UringAbi.h>

#if NIO_HAS_URING

#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include <nio/sys/SystemError.h>
#include <nio/sys/refusal/Refusal.h>

namespace nio::kernel {

namespace {

constexpr unsigned submissionEntries = 1024;
constexpr unsigned completionEntries = 4096;  // more wait in the kernel: see hasOverflow()
constexpr std::uint16_t bufferGroup = 0;

std::uint32_t load(std::uint32_t* shared) {
    return std::atomic_ref<std::uint32_t>(*shared).load(std::memory_order_acquire);
}

void store(std::uint32_t* shared, std::uint32_t value) {
    std::atomic_ref<std::uint32_t>(*shared).store(value, std::memory_order_release);
}

template <class T>
T* at(void* base, std::size_t offset) {
    return reinterpret_cast<T*>(static_cast<char*>(base) + offset);
}

std::uint64_t address(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

Error refusal(const char* call) {
    const int reason = errno;
    const auto code = static_cast<std::errc>(reason);
    if (reason != ENOMEM) return {code, call};
    return {code, std::string(call) + " (the limit of locked memory, RLIMIT_MEMLOCK?)"};
}

Error refusalOfSetup() {
    const int reason = errno;
    const auto code = static_cast<std::errc>(reason);
    switch (reason) {
        case EPERM: return {code, "io_uring_setup (kernel.io_uring_disabled or a seccomp filter)"};
        case ENOSYS: return {code, "io_uring_setup (no io_uring here, or a seccomp filter)"};
        case EINVAL: return {code, "io_uring_setup (the kernel is too old, 6.1 is needed)"};
        default: return refusal("io_uring_setup");
    }
}

long registerWith(int fd, unsigned operation, const void* argument, unsigned count) {
    return ::syscall(SYS_io_uring_register, fd, operation, argument, count);
}

}  // namespace

Result<std::unique_ptr<Uring>> Uring::open(UringBuffers& buffers) {
    io_uring_params parameters{};
    parameters.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                       IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL;
    parameters.cq_entries = completionEntries;
    const long fd = ::syscall(SYS_io_uring_setup, submissionEntries, &parameters);
    if (fd < 0) return refusalOfSetup();
    UniqueFd owned(static_cast<int>(fd));
    const Result<void> granted = checkDispatcherCalls(WaitCall::uringEnter);
    if (!granted) return granted.error();
    std::unique_ptr<Uring> ring(new Uring(std::move(owned)));
    constexpr std::uint32_t needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP |
                                     IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_EXT_ARG |
                                     IORING_FEAT_CQE_SKIP;
    if ((parameters.features & needed) != needed) {
        return Error(Errc::notSupported, "io_uring_setup (the kernel is too old, 6.1 is needed)");
    }
    if (Result<void> mapped = ring->map(parameters); !mapped) return mapped.error();
    ring->buffers_ = &buffers;
    if (Result<void> known = ring->registerBuffers(buffers); !known) return known.error();
    return ring;
}

Uring::Uring(UniqueFd fd) : fd_(std::move(fd)) {}
Uring::~Uring() = default;

Uring::Map::~Map() {
    if (at != nullptr) ::munmap(at, bytes);
}

Result<void> Uring::map(const io_uring_params& parameters) {
    const auto mapPart = [this](Map& part, std::size_t bytes, off_t offset) {
        void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                              fd_.get(), offset);
        if (memory == MAP_FAILED) return false;
        part.at = memory;
        part.bytes = bytes;
        return true;
    };
    const io_sqring_offsets& sq = parameters.sq_off;
    const io_cqring_offsets& cq = parameters.cq_off;
    const std::size_t bytes = std::max(sq.array + parameters.sq_entries * sizeof(std::uint32_t),
                                       cq.cqes + parameters.cq_entries * sizeof(io_uring_cqe));
    const bool mapped =
        mapPart(rings_, bytes, IORING_OFF_SQ_RING) &&
        mapPart(entries_, parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
    if (!mapped) return lastError("mmap of io_uring");

    submissions_ = static_cast<io_uring_sqe*>(entries_.at);
    submissionHead_ = at<std::uint32_t>(rings_.at, sq.head);
    submissionTail_ = at<std::uint32_t>(rings_.at, sq.tail);
    submissionFlags_ = at<std::uint32_t>(rings_.at, sq.flags);
    submissionMask_ = parameters.sq_entries - 1;
    auto* order = at<std::uint32_t>(rings_.at, sq.array);
    for (std::uint32_t i = 0; i < parameters.sq_entries; ++i) order[i] = i;
    completions_ = at<io_uring_cqe>(rings_.at, cq.cqes);
    completionHead_ = at<std::uint32_t>(rings_.at, cq.head);
    completionTail_ = at<std::uint32_t>(rings_.at, cq.tail);
    completionMask_ = parameters.cq_entries - 1;
    return {};
}

Result<void> Uring::registerBuffers(const UringBuffers& buffers) {
    io_uring_buf_reg registration{};
    registration.ring_addr = buffers.ringAddress();
    registration.ring_entries = buffers.capacity();
    registration.bgid = bufferGroup;
    if (registerWith(fd_.get(), IORING_REGISTER_PBUF_RING, &registration, 1) < 0) {
        return refusal("io_uring_register of buffers");
    }
    return {};
}

// Called by the thread that will own the ring.
Result<void> Uring::enable() {
    if (enabled_) return {};
    if (registerWith(fd_.get(), IORING_REGISTER_ENABLE_RINGS, nullptr, 0) < 0) {
        return lastError("io_uring_register to enable");
    }
    enabled_ = true;
    return {};
}

Result<void> Uring::signalTo(int event) {
    if (registerWith(fd_.get(), IORING_REGISTER_EVENTFD, &event, 1) < 0) {
        return lastError("io_uring_register of an event");
    }
    return {};
}

bool Uring::isFull() const {
    return queued_ - load(submissionHead_) > submissionMask_;
}

io_uring_sqe& Uring::entry(int operation, int fd, std::uint64_t tag) {
    const bool waits = !waiting_.empty() || isFull();
    io_uring_sqe& entry = waits ? waiting() : submissions_[queued_++ & submissionMask_];
    std::memset(&entry, 0, sizeof entry);
    entry.opcode = static_cast<std::uint8_t>(operation);
    entry.fd = fd;
    entry.user_data = tag;
    return entry;
}

io_uring_sqe& Uring::waiting() try {
    return waiting_.emplace_back();
} catch (const std::bad_alloc&) {
    if (!enabled_ || !makeRoom()) throw;
    return submissions_[queued_++ & submissionMask_];
}

// Submits the queue early. False: the kernel accepts nothing.
bool Uring::makeRoom() {
    for (;;) {
        const bool all = fillUp();
        if (all && !isFull()) return true;
        store(submissionTail_, queued_);
        const std::uint32_t taken = load(submissionHead_);
        (void)enter(0, std::chrono::nanoseconds::zero());
        if (load(submissionHead_) == taken) return false;
    }
}

void Uring::receive(int fd, bool again, std::uint64_t tag) {
    io_uring_sqe& receive = entry(IORING_OP_RECV, fd, tag);
    receive.ioprio = again ? IORING_RECV_MULTISHOT : 0;
    receive.flags = IOSQE_BUFFER_SELECT;
    receive.buf_group = bufferGroup;
}

void Uring::poll(int fd, short events, bool again, std::uint64_t tag) {
    io_uring_sqe& poll = entry(IORING_OP_POLL_ADD, fd, tag);
    poll.poll_events = static_cast<std::uint16_t>(events);
    poll.len = again ? IORING_POLL_ADD_MULTI : 0u;
}

// MSG_WAITALL turns a short send into a failure, and only failures produce a completion;
// MSG_DONTWAIT keeps the send from waiting for the rest.
void Uring::send(int fd, ByteView bytes, std::uint64_t tag) {
    io_uring_sqe& send = entry(IORING_OP_SEND, fd, tag);
    send.addr = address(bytes.data());
    send.len = static_cast<std::uint32_t>(bytes.size());
    send.msg_flags = MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL;
    send.flags = IOSQE_CQE_SKIP_SUCCESS;
}

void Uring::sendPieces(int fd, std::span<const iovec> pieces, std::uint64_t tag) {
    if (messageCount_ == messages_.size()) messages_.emplace_back();
    Message& message = messages_[messageCount_];
    std::copy(pieces.begin(), pieces.end(), message.pieces.begin());
    message.header = {};
    message.header.msg_iov = message.pieces.data();
    message.header.msg_iovlen = static_cast<decltype(msghdr::msg_iovlen)>(pieces.size());
    io_uring_sqe& send = entry(IORING_OP_SENDMSG, fd, tag);
    ++messageCount_;
    send.addr = address(&message.header);
    send.len = 1;
    send.msg_flags = MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL;
    send.flags = IOSQE_CQE_SKIP_SUCCESS;
}

void Uring::cancel(std::uint64_t tag) {
    io_uring_sqe& cancel = entry(IORING_OP_ASYNC_CANCEL, -1, 0);
    cancel.addr = tag;
    cancel.flags = IOSQE_CQE_SKIP_SUCCESS;
}

long Uring::enter(unsigned minimum, const WaitTime& wait) {
    __kernel_timespec time{};
    io_uring_getevents_arg argument{};
    if (wait && minimum > 0) {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(*wait);
        time.tv_sec = seconds.count();
        time.tv_nsec = (*wait - seconds).count();
        argument.ts = address(&time);
    }
    return ::syscall(SYS_io_uring_enter, fd_.get(), queued_ - load(submissionHead_), minimum,
                     IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument);
}

bool Uring::withdraw(std::uint64_t tag) {
    const auto isIt = [&](const io_uring_sqe& entry) { return entry.user_data == tag; };
    if (!anyQueued(isIt)) return false;
    (void)anyQueued([&](io_uring_sqe& entry) {
        const bool cancels = entry.opcode == IORING_OP_ASYNC_CANCEL && entry.addr == tag;
        if (isIt(entry) || cancels) std::memset(&entry, 0, sizeof entry);  // IORING_OP_NOP
        return false;
    });
    return true;
}

template <class Predicate>
bool Uring::anyQueued(Predicate&& predicate) {
    for (std::uint32_t i = load(submissionHead_); i != queued_; ++i) {
        if (predicate(submissions_[i & submissionMask_])) return true;
    }
    return std::any_of(waiting_.begin(), waiting_.end(), predicate);
}

// Whether all operations that waited for room have been queued.
bool Uring::fillUp() {
    std::size_t moved = 0;
    while (moved < waiting_.size() && !isFull()) {
        submissions_[queued_++ & submissionMask_] = waiting_[moved++];
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(moved));
    return waiting_.empty();
}

Result<void> Uring::submitAndWait(WaitTime wait) {
    if (Result<void> enabled = enable(); !enabled) return enabled;
    const bool sleeps = !wait || *wait > std::chrono::nanoseconds::zero();
    for (;;) {
        const bool all = fillUp();
        store(submissionTail_, queued_);
        const long result = enter(all && sleeps ? 1 : 0, wait);
        const int reason = result < 0 ? errno : 0;
        if (isAllSubmitted()) messageCount_ = 0;
        switch (reason) {
            case 0: break;
            case ETIME:
            case EINTR:
            case EAGAIN:  // no memory for more operations: retry in the next call
            case EBUSY: return {};
            default: return Error(static_cast<std::errc>(reason), "io_uring_enter");
        }
        if (all || isFull()) return {};
    }
}

bool Uring::isAllSubmitted() const {
    return waiting_.empty() && load(submissionHead_) == queued_;
}

bool Uring::hasOverflow() const {
    return (load(submissionFlags_) & IORING_SQ_CQ_OVERFLOW) != 0;
}

bool Uring::take(Completion& completion) {
    const std::uint32_t head = *completionHead_;
    if (head == load(completionTail_)) return false;
    const io_uring_cqe& entry = completions_[head & completionMask_];
    const bool filled = (entry.flags & IORING_CQE_F_BUFFER) != 0;
    completion.tag = entry.user_data;
    completion.result = entry.res;
    completion.goesOn = (entry.flags & IORING_CQE_F_MORE) != 0;
    completion.leftSome = (entry.flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
    completion.buffer = filled
                            ? static_cast<UringBuffers::Id>(entry.flags >> IORING_CQE_BUFFER_SHIFT)
                            : UringBuffers::none;
    if (filled) buffers_->taken();
    store(completionHead_, head + 1);
    return true;
}

}  // namespace nio::kernel

#endif
