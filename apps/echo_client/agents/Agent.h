// A machine that sends shares of loads for coordinators: `echo-client agent`.
//
// It has a dispatcher for the connections with coordinators, one without sockets for what blocks
// (names, the beginning and end of a run), and those of the run.
//
// Thread: any, one at a time. Lifetime: the destructor ends the run under way; `log` lives longer.
// Errors: the constructor throws std::system_error: a bad address, one in use.
#pragma once

#include <ostream>

#include <nio/net/Server.h>

#include "echo_client/agents/AgentSession.h"

namespace load {

class Agent {
  public:
    // Listens when it returns. Whom it works for is written to `log`, a line each.
    Agent(const AgentOptions& options, const nio::SocketAddress& address, std::ostream& log);
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;
    ~Agent();

    const nio::SocketAddress& address() const { return server_.address(); }
    void start();
    // start(), until SIGINT or SIGTERM.
    void run();

  private:
    AgentDesk desk_;
    nio::Server server_;
    nio::SelectorThread runner_;
};

// Until SIGINT or SIGTERM; the exit code. Before other threads are started.
int runAgent(const AgentOptions& options);

}  // namespace load
