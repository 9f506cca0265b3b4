// An interest as poll(2) and epoll_ctl(2) write it: in both, read, exceptional and write are the
// bits that Interest gives them. A listener is ready to accept when it is readable, and a connect
// has ended when its channel is writable: their bits stand above those of read and write.
//
// Thread: any; pure functions.
#pragma once

#include <poll.h>

#include <nio/selector/Interest.h>

namespace nio {

inline constexpr Interest inbound = Interest::read | Interest::accept;
inline constexpr Interest outbound = Interest::write | Interest::connect;

inline constexpr unsigned pollEvents = POLLIN | POLLPRI | POLLOUT;
inline constexpr int aboveThem = 4;
static_assert(static_cast<unsigned>(Interest::read) == POLLIN);
static_assert(static_cast<unsigned>(Interest::exceptional) == POLLPRI);
static_assert(static_cast<unsigned>(Interest::write) == POLLOUT);
static_assert(static_cast<unsigned>(Interest::accept) == POLLIN << aboveThem);
static_assert(static_cast<unsigned>(Interest::connect) == POLLOUT << aboveThem);

constexpr unsigned pollEventsOf(Interest interest) {
    const auto bits = static_cast<unsigned>(interest);
    return (bits | bits >> aboveThem) & pollEvents;
}

// Of readable events read and accept, of writable ones write and connect.
constexpr Interest interestOf(unsigned events) {
    const unsigned bits = events & pollEvents;
    return static_cast<Interest>(bits | (bits & (POLLIN | POLLOUT)) << aboveThem);
}

}  // namespace nio
