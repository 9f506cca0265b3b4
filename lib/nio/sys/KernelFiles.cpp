// The real kernel, part three: files, limits and names.
#include <nio/sys/Kernel.h>

#include <fcntl.h>
#include <netdb.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

struct FreeAddresses {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

std::error_code codeOf(int reason, int number) {
    switch (reason) {
        case EAI_SYSTEM: return std::make_error_code(static_cast<std::errc>(number));
        case EAI_MEMORY: return std::make_error_code(std::errc::not_enough_memory);
        case EAI_AGAIN: return std::make_error_code(std::errc::resource_unavailable_try_again);
        default: return make_error_code(Errc::nameNotFound);
    }
}

Result<AddressList> lookUp(const std::string& host) {
    // The C API would truncate the name there.
    if (host.find('\0') != std::string::npos) return Error(Errc::nameNotFound, "getaddrinfo");
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo* list = nullptr;
    const int reason = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
    const int number = errno;
    if (reason != 0) return Error(codeOf(reason, number), "getaddrinfo " + host);
    return AddressList(list);
}

}  // namespace

// Not /dev/null, which a sandbox may not be able to open.
Result<UniqueFd> openReserve() {
    return ownedOrError(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
}

std::size_t descriptorLimit() noexcept {
    constexpr std::size_t usual = 1024;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) < 0) return usual;
    return static_cast<std::size_t>(limit.rlim_cur);
}

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
}

// An inaccessible file counts as absent: bind() reports why. A symbolic link is somethingElse,
// never followed.
SocketFile inspectSocketFile(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) < 0) return SocketFile::absent;
    return S_ISSOCK(status.st_mode) ? SocketFile::socket : SocketFile::somethingElse;
}

std::optional<FileIdentity> identifyFile(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) < 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

Result<void> removeFile(const std::string& path) {
    if (::unlink(path.c_str()) < 0) return lastError("unlink", path);
    return {};
}

void setModeBeforeBind(int fd, unsigned mode) noexcept {
    (void)::fchmod(fd, static_cast<mode_t>(mode));
}

// Follows no link: what the path names may be replaced in between.
Result<void> setFileMode(const std::string& path, unsigned mode) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) < 0) return lastError("chmod", path);
    if (!S_ISSOCK(status.st_mode)) return Error(std::errc::invalid_argument, "chmod " + path);
    const auto bits = static_cast<mode_t>(mode);
    if ((status.st_mode & 07777) == bits) return {};
    if (::fchmodat(AT_FDCWD, path.c_str(), bits, AT_SYMLINK_NOFOLLOW) == 0) return {};
    // Older systems, and those without /proc, have no such call.
    const bool mayFollow = errno == ENOTSUP && inspectSocketFile(path) == SocketFile::socket;
    if (mayFollow && ::chmod(path.c_str(), bits) == 0) return {};
    return lastError("chmod", path);
}

Result<UniqueFd> lockFile(const std::string& path) {
    constexpr int flags = O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    for (;;) {
        UniqueFd file(::open(path.c_str(), flags, 0600));
        struct stat status {};
        if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) < 0 ||
            ::fstat(file.get(), &status) < 0) {
            return lastError("flock", path);
        }
        // Otherwise its last holder has removed it since open().
        if (identifyFile(path) == FileIdentity{status.st_dev, status.st_ino}) return file;
    }
}

Result<std::vector<SocketAddress>> resolve(const std::string& host, std::uint16_t port) {
    // A numeric host needs no resolver, and must not fail if the machine lacks that address family.
    if (auto address = SocketAddress::numeric(host, port)) return std::vector{address.value()};

    const auto list = lookUp(host);
    if (!list) return list.error();
    std::vector<SocketAddress> addresses;
    for (const addrinfo* one = list.value().get(); one != nullptr; one = one->ai_next) {
        const auto address = SocketAddress::fromSystem(one->ai_addr, one->ai_addrlen);
        if (address.family() != SocketAddress::Family::none) {
            addresses.push_back(address.withPort(port));
        }
    }
    if (addresses.empty()) return Error(Errc::nameNotFound, "getaddrinfo " + host);
    return addresses;
}

}  // namespace nio::kernel
