// What <sys/event.h> of BSD and macOS declares, as far as the kqueue engine uses it: to compile the
// engine on systems without it. Nothing here can be called.
#pragma once

#include <cstdint>
#include <ctime>

struct kevent {
    std::uintptr_t ident;
    short filter;
    unsigned short flags;
    unsigned int fflags;
    std::int64_t data;
    void* udata;
};

inline void EV_SET(struct kevent* event, std::uintptr_t ident, short filter, unsigned short flags,
                   unsigned int fflags, std::int64_t data, void* udata) {
    *event = {ident, filter, flags, fflags, data, udata};
}

constexpr short EVFILT_READ = -1;
constexpr short EVFILT_WRITE = -2;
constexpr unsigned short EV_ADD = 0x0001;
constexpr unsigned short EV_DELETE = 0x0002;
constexpr unsigned short EV_ERROR = 0x4000;

extern "C" {
int kqueue();
int kevent(int queue, const struct kevent* changes, int changeCount, struct kevent* events,
           int eventCount, const struct timespec* limit);
}
