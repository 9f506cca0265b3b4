#include "sms_router/session/HeldRequests.h"

#include <smpp/pdu/Pdu.h>

namespace router {

void HeldRequests::push(nio::ByteView pdu) {
    if (begin_ > octets_.size() / 2) {
        octets_.erase(octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    octets_.insert(octets_.end(), pdu.begin(), pdu.end());
    recount();
}

nio::ByteView HeldRequests::front() const {
    const nio::ByteView waiting = nio::ByteView(octets_).subspan(begin_);
    return waiting.first(smpp::Header::read(waiting)->length);
}

void HeldRequests::pop() {
    begin_ += front().size();
    if (empty()) clear();
}

void HeldRequests::clear() {
    octets_ = nio::Bytes();
    begin_ = 0;
    recount();
}

void HeldRequests::recount() {
    const std::size_t now = octets_.capacity();
    if (now == counted_) return;
    memory_.addElsewhere(static_cast<std::ptrdiff_t>(now - counted_));
    counted_ = now;
}

}  // namespace router
