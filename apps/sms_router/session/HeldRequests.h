// Requests of a peer that were read and wait until its window has room, as octets one behind the
// other. Their memory counts for the budget of the dispatcher.
//
// Thread: the dispatcher's own. Lifetime: `memory` must outlive it, but for the destructor.
#pragma once

#include <nio/base/Bytes.h>
#include <nio/memory/MemoryAccount.h>

namespace router {

class HeldRequests {
  public:
    explicit HeldRequests(nio::MemoryAccount& memory) : memory_(memory) {}
    HeldRequests(const HeldRequests&) = delete;
    HeldRequests& operator=(const HeldRequests&) = delete;

    bool empty() const { return begin_ == octets_.size(); }
    std::size_t bytes() const { return octets_.size() - begin_; }
    // A whole PDU.
    void push(nio::ByteView pdu) NIO_REQUIRES(nio::onDispatcher);
    // The first one, until pop() or push(). Not when it is empty.
    nio::ByteView front() const;
    void pop() NIO_REQUIRES(nio::onDispatcher);
    void clear() NIO_REQUIRES(nio::onDispatcher);

  private:
    void recount() NIO_REQUIRES(nio::onDispatcher);

    nio::MemoryAccount& memory_;
    nio::Bytes octets_;
    std::size_t begin_ = 0;    // of the first that waits
    std::size_t counted_ = 0;  // bytes, by the dispatcher
};

}  // namespace router
