// An interest as poll(2) and epoll_ctl(2) write it. Interest gives read, exceptional and write the
// bits that they have there. A listener is readable when it can accept, and a channel is writable
// when its connect has ended: so accept and connect have the bits of read and write, shifted.
//
// Thread: any; pure functions.
#pragma once

#include <poll.h>

#include <nio/selector/Interest.h>

namespace nio {

inline constexpr Interest inbound = Interest::read | Interest::accept;
inline constexpr Interest outbound = Interest::write | Interest::connect;

inline constexpr unsigned pollEvents = POLLIN | POLLPRI | POLLOUT;
inline constexpr int shifted = 4;
static_assert(static_cast<unsigned>(Interest::read) == POLLIN);
static_assert(static_cast<unsigned>(Interest::exceptional) == POLLPRI);
static_assert(static_cast<unsigned>(Interest::write) == POLLOUT);
static_assert(static_cast<unsigned>(Interest::accept) == POLLIN << shifted);
static_assert(static_cast<unsigned>(Interest::connect) == POLLOUT << shifted);

constexpr unsigned pollEventsOf(Interest interest) {
    const auto bits = static_cast<unsigned>(interest);
    return (bits | bits >> shifted) & pollEvents;
}

// A readable channel is ready for read and accept, a writable one for write and connect.
constexpr Interest interestOf(unsigned events) {
    const unsigned bits = events & pollEvents;
    return static_cast<Interest>(bits | (bits & (POLLIN | POLLOUT)) << shifted);
}

}  // namespace nio
