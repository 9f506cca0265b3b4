// The ranges of what a configuration says, where several of its parts share them.
//
// Source of the lengths: SMPP 3.4, 4.1 and 5.2, without the NUL at the end; names and passwords may
// be longer, since many peers use longer ones.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace router::limits {

constexpr std::size_t systemId = 64;
constexpr std::size_t usualSystemId = 15;  // with more there is a warning
constexpr std::size_t password = 64;
constexpr std::size_t usualPassword = 16;  // with more there is a warning
constexpr std::size_t systemType = 12;
constexpr std::size_t addressRange = 40;
constexpr std::size_t serviceType = 5;
constexpr std::size_t address = 20;
constexpr std::size_t numberPrefix = 8;  // AddressForms has room for two of them

constexpr std::size_t tokenOffLoopback = 16;  // with less there is a warning

constexpr std::uint64_t pdu = 16 * 1024 * 1024;
constexpr std::uint64_t leastUnboundPdu = 128;  // a bind by the book has up to 98 octets
constexpr std::uint64_t httpBody = 64 * 1024 * 1024;
constexpr std::uint64_t port = 65'535;
constexpr std::size_t connectors = 1024;  // in the life of a process
constexpr std::uint64_t binds = 100'000;
constexpr std::uint64_t window = 100'000;
constexpr std::uint64_t readAhead = 1024 * 1024 * 1024;
constexpr std::uint64_t queue = 10'000'000;
constexpr std::uint64_t many = 1'000'000'000;
constexpr std::uint64_t memory = std::uint64_t{1} << 53;
constexpr std::uint64_t attempts = 20;
constexpr std::uint64_t notices = 10'000;
constexpr double messagesPerSecond = 1e6;
constexpr double cost = 1e9;

constexpr std::chrono::nanoseconds off{0};
constexpr std::chrono::milliseconds shortest{1};
constexpr std::chrono::hours timer{24};
constexpr std::chrono::hours alarm{24 * 7};
constexpr std::chrono::hours certificate{24 * 365};
constexpr std::chrono::hours kept{24 * 90};

}  // namespace router::limits
