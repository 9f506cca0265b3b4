// The ways in which a client can be a bad one, for tests of servers.
//
// Thread: any; a value.
#pragma once

#include <map>
#include <string>

namespace load {

enum class Misbehaviour {
    slowloris,  // one byte of a message that never ends, now and then
    neverRead,  // sends as fast as it can and never reads an answer
    rstStorm,   // connects and resets, again and again
    oneByte,    // honest, but every byte in a segment of its own
    halfOpen,   // half a message, then silence: neither sends, reads nor closes
};

// By the names of the command line.
const std::map<std::string, Misbehaviour>& misbehaviours();
std::string nameOf(Misbehaviour misbehaviour);

}  // namespace load
