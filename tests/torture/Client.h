// Somebody at the other end of a connection: sends its bytes, takes the echo, and knows whether it
// was served in full. What comes back is a prefix of what was sent, whatever fails.
//
// Thread: the one of the run.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "simulation/Machine.h"

namespace torture {

class Client {
  public:
    enum class Ending {
        closes,      // when all is back
        halfCloses,  // says FIN behind all it sends, reads to the end of stream
        resets,      // when half is sent
        stays,       // until the server ends it
    };
    struct Script {
        std::size_t bytes = 0;
        Ending ending = Ending::closes;
        std::size_t readsAtOnce = 4096;
        std::size_t writesAtOnce = 512;
        std::size_t beginsInRound = 0;
        std::size_t readsFromRound = 0;
    };

    Client(std::size_t number, const Script& script, const nio::SocketAddress& server,
           simulation::Machine& machine);

    void step(std::size_t round);
    bool isDone() const { return done_; }
    // All its bytes came back, and the end came as it was to be expected.
    bool isServed() const { return served_; }
    // By RST, in the midst of what it was sent.
    bool wasCutOff() const { return cutOff_; }
    // It does nothing because its time has not come.
    bool waitsInRound(std::size_t round) const {
        return !done_ && round < std::max(script_.beginsInRound, script_.readsFromRound);
    }
    // "client 2: 30 sent, 7 back".
    std::string toString() const;

    // Line by line, so that every framing echoes it as it is.
    static nio::Bytes stream(std::size_t bytes);

  private:
    void connect();
    void write();
    void read();
    void finish();
    void cutOff();
    void end(bool served);

    const std::size_t number_;
    const Script script_;
    const nio::SocketAddress server_;
    simulation::Machine& machine_;
    nio::Bytes sent_;
    std::size_t written_ = 0;
    std::size_t back_ = 0;
    std::shared_ptr<simulation::Connection> connection_{};
    bool finSent_ = false;
    bool done_ = false;
    bool served_ = false;
    bool cutOff_ = false;
};

}  // namespace torture
