#include "torture/Injection.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <string_view>

namespace torture {

namespace {

struct Named {
    const char* name;
    const char* systemCall;  // in Errnos.inc
};

constexpr std::array<Named, callCount> calls{{
    {"openStreamSocket", "socket"},
    {"bind", "bind"},
    {"bindSource", "bind"},
    {"listen", "listen"},
    {"localAddress", "getsockname"},
    {"peerAddress", "getpeername"},
    {"setReuseAddress", "setsockopt"},
    {"setReusePort", "setsockopt"},
    {"setV6Only", "setsockopt"},
    {"setNoDelay", "setsockopt"},
    {"setKeepAlive", "setsockopt"},
    {"setSendBufferBytes", "setsockopt"},
    {"setReceiveBufferBytes", "setsockopt"},
    {"setResetOnClose", "setsockopt"},
    {"accept", "accept4"},
    {"connect", "connect"},
    {"connectOutcome", "SO_ERROR"},
    {"receive", "recvfrom"},
    {"send", "sendto"},
    {"sendPieces", "sendmsg"},
    {"shutdownWrite", "shutdown"},
    {"createEpoll", "epoll_create1"},
    {"epollAdd", "epoll_ctl add"},
    {"epollModify", "epoll_ctl modify"},
    {"epollRemove", "epoll_ctl remove"},
    {"waitEpoll", "epoll_wait"},
    {"createEvent", "eventfd2"},
    {"openReserve", "eventfd2"},
    {"createSignalDescriptor", "eventfd2"},
    {"ringSetUp", "io_uring_setup"},
    {"ringRegister", "io_uring_register"},
    {"ringMap", "mmap"},
    {"ringEnter", "io_uring_enter"},
}};

struct Errors {
    const char* systemCall;
    std::vector<int> numbers;
};

const std::vector<Errors>& allErrors() {
    static const std::vector<Errors> all{
#include "torture/Errnos.inc"
    };
    return all;
}

// The real kernel's functions deal with these themselves.
bool isPassedOn(Call call, int error) {
    if (error == EINTR) return call == Call::ringEnter;
    if (call == Call::accept) return error != ECONNABORTED && error != EPROTO;
    const bool isTcpOnly = call == Call::setNoDelay || call == Call::setKeepAlive;
    if (isTcpOnly) return error != EOPNOTSUPP;
    return true;
}

Injection* currentInjection = nullptr;

const Named& named(Call call) {
    return calls[static_cast<std::size_t>(call)];
}

}  // namespace

const char* nameOf(Call call) {
    return named(call).name;
}

std::optional<Call> callNamed(const std::string& name) {
    const auto found = std::find_if(calls.begin(), calls.end(),
                                    [&](const Named& each) { return each.name == name; });
    if (found == calls.end()) return std::nullopt;
    return static_cast<Call>(found - calls.begin());
}

std::vector<int> errorsOf(Call call) {
    std::vector<int> passedOn;
    for (const Errors& errors : allErrors()) {
        if (std::string_view(errors.systemCall) != named(call).systemCall) continue;
        std::copy_if(errors.numbers.begin(), errors.numbers.end(), std::back_inserter(passedOn),
                     [&](int error) { return isPassedOn(call, error); });
    }
    assert(!passedOn.empty());
    return passedOn;
}

Injection::Injection(const Fault& fault) : fault_(fault) {
    currentInjection = this;
}

Injection::~Injection() {
    currentInjection = nullptr;
}

Injection& Injection::current() {
    assert(currentInjection != nullptr);
    return *currentInjection;
}

std::optional<std::errc> Injection::strikes(Call call) {
    const std::size_t nth = ++counts_[static_cast<std::size_t>(call)];
    if (fault_.nth != nth || fault_.call != call) return std::nullopt;
    struck_ = true;
    return static_cast<std::errc>(fault_.error);
}

}  // namespace torture
