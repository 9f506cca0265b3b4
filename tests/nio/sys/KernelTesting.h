// What the tests of the kernel share: waiting for a descriptor, connected pairs, a folder that goes
// with its owner. Every wait is bounded by `patience`, which is far more than any of them needs.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include <nio/sys/Kernel.h>

namespace nio::kerneltest {

using Family = SocketAddress::Family;

inline constexpr std::chrono::seconds patience{120};

// Whether any of `events` (or an error) has come.
inline bool waitFor(int fd, short events) {
    const TimePoint end = kernel::now() + patience;
    while (kernel::now() < end) {
        pollfd entry{fd, events, 0};
        if (kernel::waitPoll({&entry, 1}, patience).orThrow() > 0) return true;
    }
    return false;
}

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "nio-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

// A listener on a free port of the loopback, or on a socket file in `folder`.
class Listener {
  public:
    Listener(Family family, const TemporaryFolder& folder, int backlog = 16)
        : fd_(kernel::openStreamSocket(family).orThrow()) {
        kernel::bind(fd(), place(family, folder)).orThrow();
        kernel::listen(fd(), backlog).orThrow();
    }

    int fd() const { return fd_.get(); }
    SocketAddress address() const { return kernel::localAddress(fd()).orThrow(); }
    void close() { fd_.reset(); }

    UniqueFd acceptOne() const {
        EXPECT_TRUE(waitFor(fd(), POLLIN));
        kernel::Accepted accepted = kernel::accept(fd());
        EXPECT_TRUE(accepted.result.isDone()) << accepted.result.error().message();
        return std::move(accepted.fd);
    }

    static SocketAddress place(Family family, const TemporaryFolder& folder) {
        if (family == Family::unix_) {
            return SocketAddress::unixPath(folder.file("listener")).orThrow();
        }
        return family == Family::ipv4 ? SocketAddress::loopback4(0) : SocketAddress::loopback6(0);
    }

  private:
    UniqueFd fd_;
};

// Connects and waits for the outcome.
inline IoResult connectTo(int fd, const SocketAddress& address) {
    const IoResult begun = kernel::connect(fd, address);
    if (begun.status != IoStatus::wouldBlock) return begun;
    EXPECT_TRUE(waitFor(fd, POLLOUT));
    return kernel::connectOutcome(fd);
}

struct ConnectedPair {
    UniqueFd client;
    UniqueFd server;

    explicit ConnectedPair(Family family) {
        const TemporaryFolder folder;
        const Listener listener(family, folder);
        client = kernel::openStreamSocket(family).orThrow();
        EXPECT_TRUE(connectTo(client.get(), listener.address()).isDone());
        server = listener.acceptOne();
    }
};

inline bool hasIpv6() {
    const Result<UniqueFd> fd = kernel::openStreamSocket(Family::ipv6);
    return fd && kernel::bind(fd.value().get(), SocketAddress::loopback6(0));
}

// Runs the body once per family.
class EachFamily : public testing::TestWithParam<Family> {
  protected:
    void SetUp() override {
        if (GetParam() == Family::ipv6 && !hasIpv6()) GTEST_SKIP() << "no IPv6 on this machine";
    }
};

inline std::string familyName(const testing::TestParamInfo<Family>& info) {
    switch (info.param) {
        case Family::ipv4: return "Ipv4";
        case Family::ipv6: return "Ipv6";
        default: return "Unix";
    }
}

}  // namespace nio::kerneltest
