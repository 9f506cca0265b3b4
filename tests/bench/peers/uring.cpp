// The least that a loop on io_uring can do: one accept and one receive for each connection that
// stay until cancelled, receive buffers that the kernel takes from a ring, and answers sent right
// out of them. What a turn wants is submitted with the wait for the next one.
#include <liburing.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "PeerProgram.h"

namespace {

using peers::bufferBytes;

constexpr int none = -1;
constexpr unsigned buffers = 1024;
constexpr unsigned submissions = 4096;
constexpr unsigned completions = 32'768;
constexpr int group = 0;

enum class Kind : std::uint64_t { accept, receive, send };

// Bytes to send back, in the buffer that they came in.
struct Chunk {
    unsigned at = 0;
    unsigned end = 0;
    int next = none;
};

// One chunk is sent at a time, so that the order is kept; the others queue up behind it.
struct Connection {
    int first = none;
    int last = none;
    bool isOpen = false;
    bool receives = false;
    bool sends = false;
    bool closes = false;
};

class UringLoop {
  public:
    explicit UringLoop(int listener) : listener_(listener), connections_(descriptors()) {
        io_uring_params params{};
        params.flags =
            IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
        params.cq_entries = completions;
        check(io_uring_queue_init_params(submissions, &ring_, &params), "io_uring_setup");
        io_uring_register_ring_fd(&ring_);
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(bufferRing_);
        registration.ring_entries = buffers;
        registration.bgid = group;
        check(io_uring_register_buf_ring(&ring_, &registration, 0), "io_uring_register_buf_ring");
        io_uring_buf_ring_init(bufferRing_);
        for (int i = 0; i < static_cast<int>(buffers); ++i) giveBack(i);
        accept();
    }

    void run() {
        for (;;) {
            publishBuffers();
            io_uring_submit_and_wait(&ring_, 1);
            io_uring_cqe* completion = nullptr;
            unsigned head = 0;
            unsigned seen = 0;
            io_uring_for_each_cqe(&ring_, head, completion) {
                ++seen;
                completed(*completion);
            }
            io_uring_cq_advance(&ring_, seen);
        }
    }

  private:
    static std::size_t descriptors() {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        return limit.rlim_cur;
    }

    // Of whole pages, as the kernel wants it.
    static io_uring_buf_ring* ringOfBuffers() {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t size = buffers * sizeof(io_uring_buf);
        void* memory = std::aligned_alloc(page, (size + page - 1) / page * page);
        if (memory == nullptr) peers::fail("aligned_alloc");
        return static_cast<io_uring_buf_ring*>(memory);
    }

    static void check(int result, const char* what) {
        if (result >= 0) return;
        errno = -result;
        peers::fail(what);
    }

    io_uring_sqe* next(Kind kind, int fd) {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        while (entry == nullptr) {
            io_uring_submit(&ring_);
            entry = io_uring_get_sqe(&ring_);
        }
        wanted_ = static_cast<std::uint64_t>(fd) << 2 | static_cast<std::uint64_t>(kind);
        return entry;
    }

    void accept() {
        io_uring_sqe* entry = next(Kind::accept, listener_);
        io_uring_prep_multishot_accept(entry, listener_, nullptr, nullptr, 0);
        io_uring_sqe_set_data64(entry, wanted_);
    }

    void receive(int fd) {
        io_uring_sqe* entry = next(Kind::receive, fd);
        io_uring_prep_recv_multishot(entry, fd, nullptr, 0, 0);
        entry->flags |= IOSQE_BUFFER_SELECT;
        entry->buf_group = group;
        io_uring_sqe_set_data64(entry, wanted_);
        of(fd).receives = true;
    }

    void send(int fd) {
        const Chunk& chunk = chunks_[static_cast<unsigned>(of(fd).first)];
        io_uring_sqe* entry = next(Kind::send, fd);
        io_uring_prep_send(entry, fd, bytesOf(of(fd).first) + chunk.at, chunk.end - chunk.at,
                           MSG_WAITALL | MSG_NOSIGNAL);
        io_uring_sqe_set_data64(entry, wanted_);
        of(fd).sends = true;
    }

    void completed(const io_uring_cqe& completion) {
        const int fd = static_cast<int>(completion.user_data >> 2);
        switch (static_cast<Kind>(completion.user_data & 3)) {
            case Kind::accept: return accepted(completion);
            case Kind::receive: received(fd, completion); break;
            case Kind::send: sent(fd, completion.res); break;
        }
        goOn(fd);
    }

    void accepted(const io_uring_cqe& completion) {
        if (completion.res >= 0) {
            peers::sendAtOnce(completion.res);
            of(completion.res) = {};
            of(completion.res).isOpen = true;
            receive(completion.res);
        }
        if ((completion.flags & IORING_CQE_F_MORE) == 0) accept();
    }

    void received(int fd, const io_uring_cqe& completion) {
        Connection& connection = of(fd);
        connection.receives = (completion.flags & IORING_CQE_F_MORE) != 0;
        if (completion.res > 0) {
            const int buffer = static_cast<int>(completion.flags >> IORING_CQE_BUFFER_SHIFT);
            chunks_[static_cast<unsigned>(buffer)] = {0, static_cast<unsigned>(completion.res),
                                                      none};
            int& link = connection.first == none
                            ? connection.first
                            : chunks_[static_cast<unsigned>(connection.last)].next;
            link = connection.last = buffer;
            if (!connection.receives) receive(fd);
        } else if (completion.res == -ENOBUFS) {
            hungry_.push_back(fd);
        } else {
            connection.closes = true;
        }
    }

    void sent(int fd, int result) {
        Connection& connection = of(fd);
        connection.sends = false;
        if (result < 0) {
            connection.closes = true;
            return;
        }
        Chunk& chunk = chunks_[static_cast<unsigned>(connection.first)];
        chunk.at += static_cast<unsigned>(result);
        if (chunk.at == chunk.end) dropFirst(connection);
    }

    void goOn(int fd) {
        Connection& connection = of(fd);
        if (connection.sends) return;
        if (!connection.closes) {
            if (connection.first != none) send(fd);
            return;
        }
        while (connection.first != none) dropFirst(connection);
        if (connection.receives) {  // ends the receive, which then brings us here again
            ::shutdown(fd, SHUT_RDWR);
        } else if (std::exchange(connection.isOpen, false)) {
            ::close(fd);
        }
    }

    void dropFirst(Connection& connection) {
        const int buffer = connection.first;
        connection.first = chunks_[static_cast<unsigned>(buffer)].next;
        giveBack(buffer);
    }

    void giveBack(int buffer) {
        io_uring_buf_ring_add(bufferRing_, bytesOf(buffer), bufferBytes,
                              static_cast<unsigned short>(buffer), io_uring_buf_ring_mask(buffers),
                              given_++);
    }

    // Those that found none left ask again.
    void publishBuffers() {
        if (given_ == 0) return;
        io_uring_buf_ring_advance(bufferRing_, std::exchange(given_, 0));
        for (const int fd : std::exchange(hungry_, {})) {
            if (of(fd).isOpen && !of(fd).receives && !of(fd).closes) receive(fd);
        }
    }

    Connection& of(int fd) { return connections_[static_cast<unsigned>(fd)]; }
    char* bytesOf(int buffer) { return bytes_.get() + static_cast<unsigned>(buffer) * bufferBytes; }

    const int listener_;
    io_uring ring_{};
    io_uring_buf_ring* const bufferRing_ = ringOfBuffers();
    std::unique_ptr<char[]> bytes_{new char[buffers * bufferBytes]};
    std::vector<Chunk> chunks_{buffers};
    std::vector<Connection> connections_;
    std::vector<int> hungry_;
    std::uint64_t wanted_ = 0;  // what the entry that next() gave belongs to
    int given_ = 0;             // buffers that the kernel does not know of yet
};

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, [](int listener) { UringLoop(listener).run(); });
}
