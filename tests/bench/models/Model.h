// One way to divide a server's work among threads. All four are echo servers; they differ in who
// does what on which thread, and in nothing else. docs/threading-models.md compares them.
//
// Thread: one at a time.
// Errors: what makes one throws std::system_error when it cannot listen.
// Source: ONJava article 2004, "Threading in a Multiplexed World"; BGU Reactor.
#pragma once

#include <memory>
#include <string>

#include "bench/models/ModelOptions.h"

namespace models {

class Model {
  public:
    virtual ~Model() = default;

    // It listens there as soon as it exists: "127.0.0.1:40123".
    virtual std::string address() const = 0;
    // How many threads of which kind, for the ready line.
    virtual std::string threads() = 0;
    // Serves until SIGINT or SIGTERM. The caller has called nio::SignalHandler::block() for both.
    virtual void run() = 0;
};

std::unique_ptr<Model> mDispatchersNoWorkers(const ModelOptions& options);
std::unique_ptr<Model> threadPerClient(const ModelOptions& options);
std::unique_ptr<Model> oneDispatcherNWorkers(const ModelOptions& options);
std::unique_ptr<Model> mDispatchersNWorkers(const ModelOptions& options);

}  // namespace models
