#include <nio/dispatch/Registration.h>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

Interest Registration::Served::servable() const {
    switch (kind) {
        case Kind::accept: return Interest::accept;
        case Kind::connect: return Interest::connect;
        case Kind::readWrite: break;
    }
    return Interest::read | Interest::write;
}

void Registration::channelClosing() {
    SelectionKey::channelClosing();
    handler_->dispatcher().ended(*this);
}

}  // namespace nio
