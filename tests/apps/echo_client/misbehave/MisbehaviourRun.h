// A misbehaviour on a thread of its own, which the test ends when it has seen enough.
//
// Thread: that of its test. The destructor ends the run and joins.
#pragma once

#include <pthread.h>

#include <csignal>
#include <future>
#include <thread>

#include <nio/net/SignalHandler.h>

#include "echo_client/misbehave/Misbehaver.h"

namespace support {

// With so much time that only a condition ends it.
inline load::LoadOptions misbehaving(load::Misbehaviour kind, std::size_t connections = 5,
                                     apps::Framing framing = apps::Framing::raw) {
    load::LoadOptions options;
    options.misbehave = kind;
    options.connections = connections;
    options.framing = framing;
    options.threads = 2;
    options.duration = std::chrono::minutes(10);
    options.every = std::chrono::milliseconds(1);
    return options;
}

class MisbehaviourRun {
  public:
    MisbehaviourRun(const load::LoadOptions& options, const nio::SocketAddress& server)
        : thread_([this, options, server] { run(options, server); }) {
        blocked_.get_future().wait();
    }
    ~MisbehaviourRun() {
        if (!thread_.joinable()) return;
        interrupt();
        join();
    }
    MisbehaviourRun(const MisbehaviourRun&) = delete;
    MisbehaviourRun& operator=(const MisbehaviourRun&) = delete;

    void interrupt() { (void)::pthread_kill(thread_.native_handle(), SIGINT); }
    bool isOver() { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
    // Waits for it; once.
    load::MisbehaviourResult result() {
        load::MisbehaviourResult result = result_.get();
        join();
        return result;
    }

  private:
    // The signal is for this thread alone: the test's others may be interrupted as ever.
    void run(const load::LoadOptions& options, const nio::SocketAddress& server) {
        try {
            nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
            blocked_.set_value();
            promise_.set_value(load::Misbehaver(options, server).run());
        } catch (...) {
            promise_.set_exception(std::current_exception());
        }
    }

    // A signal that the run did not read any more would interrupt the next one.
    void join() {
        thread_.join();
        const nio::UniqueFd unread =
            nio::kernel::createSignalDescriptor({SIGINT, SIGTERM}).orThrow();
        while (nio::kernel::readSignal(unread.get()) != 0) {
        }
        nio::kernel::forgetSignalDescriptor(unread.get());
    }

    std::promise<void> blocked_;
    std::promise<load::MisbehaviourResult> promise_;
    std::future<load::MisbehaviourResult> result_ = promise_.get_future();
    std::thread thread_;
};

}  // namespace support
