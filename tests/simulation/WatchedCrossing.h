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
    // The peer is to be turned away.
    std::function<void()> refused;
    std::size_t failsAtRead = 0;          // of the back; 0: never
    std::size_t inbound = 0;              // bytes
    std::size_t outbound = 0;             // bytes
    nio::StreamHandler* front = nullptr;  // while it is open
    nio::StreamHandler* back = nullptr;
    bool isEnding = false;       // the front has ended, or the back has failed
    std::size_t turnsAlone = 0;  // since then, of the half that is left
};

// One half of it. Nothing of it moves but the front.
class WatchedHalf {
  public:
    WatchedHalf(std::shared_ptr<Crossed> crossed, bool isFront)
        : crossed_(std::move(crossed)), isFront_(isFront) {}

    void opened(auto& context) {
        if (half() != nullptr) crossed_->journal.fail("a half is opened twice");
        half() = &context.connection();
        ++crossed_->openHalves;
        look(context, "opened");
    }
    void read(auto& context, nio::ByteView item) NIO_REQUIRES(nio::onDispatcher) {
        look(context, "read");
        isFront_ ? crossed_->inbound += item.size() : crossed_->inbound -= item.size();
        if (!isFront_ && crossed_->failsAtRead > 0 && --crossed_->failsAtRead == 0) {
            crossed_->refused();
            crossed_->isEnding = true;
            return context.connection().abort();
        }
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
        if (std::exchange(half(), nullptr) == nullptr) {
            crossed_->journal.fail("a half is closed twice");
        }
        --crossed_->openHalves;
        crossed_->isEnding |= isFront_;
    }

  private:
    nio::StreamHandler*& half() { return isFront_ ? crossed_->front : crossed_->back; }
    void look(auto& context, const char* callback) {
        if (half() == nullptr) {
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
