#include "apps/sms_router/durability/Wire.h"

#include <array>

#include <smpp/pdu/PduFramer.h>

namespace router::scenarios {

void Wire::send(nio::ByteView octets) {
    unsent_.insert(unsent_.end(), octets.begin(), octets.end());
}

bool Wire::pump(const std::function<void(const OwnedPdu&)>& arrived) {
    return pumpUnits([&](nio::ByteView unread) -> std::size_t {
        const smpp::Framed framed = smpp::PduFramer(1024 * 1024).next(unread);
        if (framed.kind != smpp::Framed::Kind::pdu) return 0;
        arrived(OwnedPdu(nio::copyOf(framed.bytes)));
        return framed.bytes.size();
    });
}

bool Wire::pumpUnits(const std::function<std::size_t(nio::ByteView)>& take) {
    pumpOut();
    const bool goesOn = pumpIn();
    tell(take);
    pumpOut();
    return goesOn;
}

pollfd Wire::interest() const {
    return {fd_.get(), static_cast<short>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
}

// A failure shows when the rest has been read, too.
void Wire::pumpOut() {
    std::size_t sent = 0;
    while (sent < unsent_.size()) {
        const nio::IoResult result =
            nio::kernel::send(fd_.get(), nio::ByteView(unsent_).subspan(sent));
        if (!result.isDone()) break;
        sent += result.bytes;
    }
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
}

bool Wire::pumpIn() {
    std::array<nio::Byte, 64 * 1024> block;
    for (;;) {
        const nio::IoResult result = nio::kernel::receive(fd_.get(), block);
        if (result.status == nio::IoStatus::wouldBlock) return true;
        if (!result.isDone()) return false;
        unread_.insert(unread_.end(), block.data(), block.data() + result.bytes);
    }
}

void Wire::tell(const std::function<std::size_t(nio::ByteView)>& take) {
    std::size_t done = 0;
    while (const std::size_t size = take(nio::ByteView(unread_).subspan(done))) done += size;
    unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace router::scenarios
