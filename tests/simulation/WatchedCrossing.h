// A connection with nio::on, with eyes on both halves: what is in flight between them, and that
// each is told its end, once, on its own dispatcher.
//
// Thread: the one of the run.
#pragma once

#include <functional>
#include <memory>

#include <nio/loop/SelectorThread.h>
#include <nio/pipeline/PipelineFactory.h>

#include "echo_server/Echo.h"
#include "simulation/Journal.h"

namespace simulation {

// Of one connection.
struct Crossed {
    Journal& journal;
    std::size_t& openHalves;
    // The other dispatcher takes no connection: the peer is turned away.
    std::function<void()> refused;
    std::size_t inbound = 0;   // bytes
    std::size_t outbound = 0;  // bytes
    bool isFrontOpen = false;
    bool isBackOpen = false;
    const nio::SelectorThread* home = nullptr;  // of the back
    std::size_t turnsAlone = 0;                 // of that, since the front has ended
};

// One half of it. Nothing of it moves but the front.
class WatchedHalf {
  public:
    WatchedHalf(std::shared_ptr<Crossed> crossed, bool isFront)
        : crossed_(std::move(crossed)), isFront_(isFront) {}

    void opened(auto& context) {
        if (std::exchange(isOpen(), true)) crossed_->journal.fail("a half is opened twice");
        ++crossed_->openHalves;
        if (!isFront_) crossed_->home = &context.connection().dispatcher();
        look(context, "opened");
    }
    void read(auto& context, nio::ByteView item) NIO_REQUIRES(nio::onDispatcher) {
        look(context, "read");
        isFront_ ? crossed_->inbound += item.size() : crossed_->inbound -= item.size();
        context.read(item);
    }
    void write(auto& context, nio::ByteView item) NIO_REQUIRES(nio::onDispatcher) {
        look(context, "write");
        isFront_ ? crossed_->outbound -= item.size() : crossed_->outbound += item.size();
        context.write(item);
    }
    void peerFinished(auto& context) { look(context, "peerFinished"); }
    void failed(auto&, const nio::Error& error) {
        const bool isRefusal = error.is(nio::Errc::queueFull) || error.is(nio::Errc::stopped);
        if (isFront_ && isRefusal) crossed_->refused();
    }
    void closed(auto&) {
        if (!std::exchange(isOpen(), false)) crossed_->journal.fail("a half is closed twice");
        --crossed_->openHalves;
    }

  private:
    bool& isOpen() { return isFront_ ? crossed_->isFrontOpen : crossed_->isBackOpen; }
    void look(auto& context, const char* callback) {
        if (!isOpen()) {
            crossed_->journal.fail(std::string(callback) + " outside of a half's life");
        }
        if (!context.connection().dispatcher().isCurrent()) {
            crossed_->journal.fail(std::string(callback) + " of a half on another dispatcher");
        }
    }

    std::shared_ptr<Crossed> crossed_;
    bool isFront_;
};

}  // namespace simulation
