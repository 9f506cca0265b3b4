// The misbehaviour of --beside, on a thread of its own.
//
// Thread: one at a time. SIGINT and SIGTERM must be blocked.
// Errors: the constructor and end() throw std::system_error.
#pragma once

#include <future>

#include "echo_client/misbehave/Misbehaver.h"

namespace load {

class BesideLoad {
  public:
    // options.beside is there. Blocks until all are connected, or have failed.
    BesideLoad(const LoadOptions& options, const nio::SocketAddress& server)
        : misbehaver_(besideOptions(options), server),
          result_(std::async(std::launch::async, [this] { return run(); })) {
        connected_.get_future().get();
    }
    // Ends it; blocks until its connections are closed.
    ~BesideLoad() { misbehaver_.requestStop(); }
    BesideLoad(const BesideLoad&) = delete;
    BesideLoad& operator=(const BesideLoad&) = delete;

    // Likewise. Once.
    MisbehaviourResult end() {
        misbehaver_.requestStop();
        return result_.get();
    }

  private:
    MisbehaviourResult run() try {
        return misbehaver_.runUntilStopped([this] { connected_.set_value(); });
    } catch (...) {
        connected_.set_exception(std::current_exception());
        throw;
    }

    std::promise<void> connected_;
    Misbehaver misbehaver_;
    std::future<MisbehaviourResult> result_;  // its destructor waits
};

}  // namespace load
