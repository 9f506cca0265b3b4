// A protocol by which applications come, as connectors and the desks of accounts see it: it gets
// the answers to the requests that it took in, and what comes for its binds.
//
// Thread: any dispatcher's, except deliver(): the bind's.
// Lifetime: the router's.
#pragma once

#include <cstdint>

#include <nio/base/Bytes.h>
#include <nio/loop/ChannelHandle.h>

namespace router {

struct Origin;

class Ingress {
  public:
    virtual ~Ingress() = default;

    // A whole response to the request, whose sequence number it has. Dropped when nothing waits for
    // it any more.
    virtual void answer(const Origin& origin, nio::Bytes response) = 0;

    // A whole request for a bind. AccountDesk is told what became of it.
    virtual void deliver(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu) = 0;
    // Whether output of this turn waits there.
    virtual bool hasOutput(nio::ChannelHandle bind) = 0;
};

}  // namespace router
