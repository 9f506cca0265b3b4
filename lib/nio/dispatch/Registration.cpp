#include <nio/dispatch/Registration.h>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

SelectorHandler& Registration::Served::handler() const {
    switch (kind) {
        case Kind::accept: return *accept;
        case Kind::connect: return *connect;
        case Kind::readWrite: break;
    }
    return *readWrite;
}

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
    thread_.ended(*this);
}

}  // namespace nio
