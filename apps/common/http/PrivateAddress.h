// Whether an address leads to the own machine or network: of loopback, link-local, private and
// shared networks, and what is no address of a host on the internet (unspecified, multicast,
// reserved). An IPv6 address that has an IPv4 address in it (mapped, compatible, 6to4, NAT64) is
// what that is. A Unix-domain address is private.
//
// Thread: any; pure.
// Source: the special-purpose address registries of IANA (RFC 6890).
#pragma once

#include <nio/sys/SocketAddress.h>

namespace apps {

bool isPrivateAddress(const nio::SocketAddress& address);

}  // namespace apps
