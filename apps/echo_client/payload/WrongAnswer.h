// A wrong answer, put down for people: the first one of each worker is kept in full.
//
// Thread: one at a time; pure but for the errors it is given.
#pragma once

#include <cstdint>
#include <string>

#include <nio/base/Bytes.h>

#include "echo_client/figures/LoadErrors.h"

namespace load {

// Lifetime: what it shows lives during the call it is given to.
struct WrongAnswer {
    std::size_t connection;
    std::uint64_t sequence;  // of the message
    std::string what;        // e.g. "byte 21 is 0x40 instead of 0x41"
    nio::ByteView got;       // as far as known
    nio::ByteView expected;  // empty: not known
};

// "byte 21 is 0x40 instead of 0x41": the first difference as far as both go; empty: none.
std::string differenceOf(nio::ByteView got, nio::ByteView expected);

// An example of each kind is kept, if there is none yet: the line, and the dump if there are bytes.
bool wantsExample(const LoadErrors& errors);
void keepExample(LoadErrors& errors, const WrongAnswer& answer);

}  // namespace load
