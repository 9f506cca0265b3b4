// What a connection does with its messages: one message in, an answer or none out, and when to end.
//
// A protocol belongs to one connection, made by a factory with it and destroyed with it; it keeps
// the state of that conversation. It knows no bytes, no framing and no socket: a test calls it.
//
// For every message, in the order of the stream, the caller does
//     1. process(message); the answer, if there is one, is sent before the next message is
//     processed
//     2. shouldTerminate(); once it is true no more messages are processed, and the connection is
//        closed when all answers have left.
//
// Thread: that of its owner, in a server the connection's dispatcher; it must not block.
// Lifetimes: process() owns its message; the answer is the caller's.
// Errors: an answer about a bad message is a Message like any other. An exception is a mistake of
// the protocol: it goes to the caller unchanged, which closes that connection.
// Source: BGU practical session on the reactor, MessagingProtocol.
#pragma once

#include <optional>

#include <nio/base/Cpp20.h>

namespace nio {

template <class Message>
class MessagingProtocol {
  public:
    virtual ~MessagingProtocol() = default;

    // The answer to `message`, or nullopt for none.
    virtual std::optional<Message> process(Message message) = 0;

    // True once the conversation is over; it then stays true.
    virtual bool shouldTerminate() const = 0;
};

}  // namespace nio
