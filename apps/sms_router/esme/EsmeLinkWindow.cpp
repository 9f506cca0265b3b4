// EsmeLink: reading stops while its window is full.
#include <utility>

#include <nio/dispatch/SelectorThread.h>
#include <nio/sys/Kernel.h>

#include "sms_router/esme/EsmeLink.h"

namespace router {

namespace {

// How soon after a peer has gone its requests leave the queues, and its account may bind anew.
constexpr std::chrono::milliseconds endWatchPeriod{100};

}  // namespace

void EsmeLink::updateWindow() {
    if (!isOpen() || !hasAccount_) return;
    if (session().unanswered() < accountConfig().window) return readOn();
    if (full_) return;
    full_ = true;
    // What we do not read is not late.
    session().holdPeer(true, smppNow());
    rearm();
    channel()->pauseReading();
    watchForEnd();
}

// What is not read does not tell that the peer has gone. Looked for now and then, not each time
// that the window is full.
void EsmeLink::watchForEnd() {
    if (!endWatch_) {
        endWatch_.emplace(channel()->dispatcher().deadlines(), [this] {
            nio::onDispatcher.assertCurrent();
            if (!isOpen() || !full_) return;
            hasPeerEnded() ? closeNow() : endWatch_->wakeAfter(endWatchPeriod);
        });
    }
    if (!endWatch_->isSet()) endWatch_->wakeAfter(endWatchPeriod);
}

bool EsmeLink::hasPeerEnded() const {
    pollfd entry{channel()->channel().fd(), POLLRDHUP, 0};
    const auto found = nio::kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero());
    return found && found.value() > 0;
}

void EsmeLink::readOn() {
    if (!std::exchange(full_, false)) return;
    session().holdPeer(false, smppNow());
    rearm();
    channel()->resumeReading();
}

}  // namespace router
