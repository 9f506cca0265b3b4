// What the tests of nio::on share: a connection on one dispatcher, whose application is on another,
// and its peer. The test makes the turns of both.
//
// Thread: that of the test.
#pragma once

#include "nio/pipeline/PipelineCase.h"

namespace pipelinetest {

class OnCase : public PipelineCase {
  protected:
    // Turns of both until it is done.
    template <class F>
    bool turnUntil(F&& done) {
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (!done() && nio::Clock::now() < end) {
            dispatcher->turn(std::chrono::milliseconds(1));
            other.turn();
        }
        return done();
    }
    // Both have nothing to do but to wait for the peer.
    void turns(int count = 6) {
        for (int i = 0; i < count; ++i) {
            dispatcher.turn();
            other.turn();
        }
    }
    bool turnUntilEnded() {
        return turnUntil(
            [&] { return dispatcher->connectionCount() + other->connectionCount() == 0; });
    }
    std::string receive(std::size_t count) {
        std::string got;
        EXPECT_TRUE(
            turnUntil([&] { return (got += link.peer.receiveWhatIsThere()).size() >= count; }));
        return got;
    }
    // All until FIN.
    std::string receiveAll() {
        std::string got;
        EXPECT_TRUE(turnUntil([&] {
            got += link.peer.receiveWhatIsThere();
            return link.peer.last().status != nio::IoStatus::wouldBlock;
        }));
        return got;
    }

    support::TestDispatcher other{"other"};
};

// Notes where it is called and destroyed.
struct Confined {
    nio::SelectorThread* home;
    int* alive;

    Confined(nio::SelectorThread& thread, int& count) : home(&thread), alive(&count) { ++*alive; }
    Confined(const Confined& from) : home(from.home), alive(from.alive) { ++*alive; }
    Confined& operator=(const Confined&) = delete;
    ~Confined() {
        EXPECT_TRUE(!wasOpened || home->isCurrent());
        --*alive;
    }
    bool wasOpened = false;

    void opened(auto&) {
        wasOpened = true;
        EXPECT_TRUE(home->isCurrent());
    }
    void closed(auto&) { EXPECT_TRUE(home->isCurrent()); }
};

// A stage that writes down how its connection has ended.
struct EndRecorder {
    Strings* seen;

    void failed(auto&, const nio::Error& error) { seen->push_back("front: " + error.message()); }
    void closed(auto&) { seen->push_back("front closed"); }
};

}  // namespace pipelinetest
