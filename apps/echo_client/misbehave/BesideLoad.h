// The misbehaviour of --beside, on a thread of its own.
//
// Thread: one at a time. SIGINT and SIGTERM must be blocked: they end it, too.
// Errors: the constructor and end() throw std::system_error.
#pragma once

#include <future>
#include <system_error>

#include "echo_client/misbehave/Misbehaver.h"

namespace load {

class BesideLoad {
  public:
    // options.beside is there. Blocks until all are connected, or have failed.
    BesideLoad(const LoadOptions& options, const nio::SocketAddress& server)
        : misbehaver_(besideOptions(options), server), result_(begin()) {
        connected_.get_future().get();
    }
    // Ends it; blocks until its connections are closed.
    ~BesideLoad() { misbehaver_.requestStop(); }
    BesideLoad(const BesideLoad&) = delete;
    BesideLoad& operator=(const BesideLoad&) = delete;

    // As the destructor does. Once.
    MisbehaviourResult end() {
        misbehaver_.requestStop();
        return result_.get();
    }
    // By a signal.
    bool isInterrupted() const { return misbehaver_.isInterrupted(); }

  private:
    std::future<MisbehaviourResult> begin() try {
        return std::async(std::launch::async, [this] { return run(); });
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "a thread for --beside");
    }

    MisbehaviourResult run() {
        bool isTold = false;
        const auto tell = [&] {
            isTold = true;
            connected_.set_value();
        };
        try {
            return misbehaver_.run(tell);
        } catch (...) {
            if (!isTold) connected_.set_exception(std::current_exception());
            throw;
        }
    }

    std::promise<void> connected_;
    Misbehaver misbehaver_;
    std::future<MisbehaviourResult> result_;  // its destructor waits
};

}  // namespace load
