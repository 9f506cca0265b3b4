#include <nio/loop/Registration.h>

#include <nio/loop/SelectorThread.h>

namespace nio {

Interest Registration::Served::servable() const {
    switch (kind) {
        case Kind::accept: return Interest::accept;
        case Kind::connect: return Interest::connect;
        case Kind::readWrite: break;
    }
    return Interest::read | Interest::write | Interest::exceptional;
}

FlightRecorder::Callee Registration::callee() const {
    const SelectorHandler& called = *handler_;
    return {slot, channel().fd(), &typeid(called)};
}

void Registration::channelHoldsInput() {
    SelectionKey::channelHoldsInput();
    if (!handler_->countsHeldInput()) return;
    handler_->dispatcher().flushLater(channel());
    // This may be a look within a select that goes on.
    handler_->dispatcher().queue()->nudge();
}

void Registration::channelClosing() {
    SelectionKey::channelClosing();
    handler_->dispatcher().registry().ended(*this);
}

}  // namespace nio
