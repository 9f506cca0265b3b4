#include <nio/pipeline/Kept.h>

#include <functional>
#include <vector>

#include "PipelineCase.h"

#include <nio/codec/RawDecoder.h>

namespace pipelinetest {
namespace {

class KeptTest : public PipelineCase {
  protected:
    std::size_t countedMemory() {
        std::size_t counted = 0;
        dispatcher.inTurn([&] { counted = dispatcher->memory().bytes(); });
        return counted;
    }
};

struct PausesAtOnce {
    void opened(auto& peer) { peer.pauseReading(); }
    void read(auto&, const auto&) {}
};

// Gives outside of all callbacks of its connection, as a timer would.
struct Source {
    std::function<void()>* give;
    void opened(auto& context) {
        *give = [context]() mutable {
            nio::onDispatcher.assertCurrent();
            context.read(nio::ByteView(nio::Bytes(10'000)));
        };
    }
};

TEST_F(KeptTest, WhatATimerGivesCountsAsMemory) {
    std::function<void()> give;
    add(nio::pipeline(nio::raw(), Source{&give}, PausesAtOnce()));
    dispatcher.inTurn(give);
    dispatcher.turns(2);
    EXPECT_GE(countedMemory(), 10'000U);
}

struct Texts {
    using In = nio::Packet;
    using Out = std::string;
    void read(auto& context, nio::ByteView) {
        for (int i = 0; i < 2; ++i) context.read(std::string(100'000, 's'));
    }
    void write(auto& context, const std::string& text) { context.write(text); }
};

struct PausesAtEach {
    int* reads;
    void read(auto& peer, const std::string&) {
        ++*reads;
        peer.pauseReading();
    }
};

TEST_F(KeptTest, WhatAKeptStringHoldsCountsAsMemory) {
    int reads = 0;
    add(nio::pipeline(nio::lines(), Texts(), PausesAtEach{&reads}));
    link.peer.send("x\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return reads == 1; }));
    EXPECT_GE(countedMemory(), 100'000U);
}

TEST_F(KeptTest, WhatAKeptVectorHoldsCountsAsMemory) {
    nio::KeptItems<std::vector<int>> kept;
    kept.add(std::vector<int>(1000));
    EXPECT_GE(kept.memory(), 1000 * sizeof(int));
    (void)kept.takeFirst();
    EXPECT_EQ(kept.memory(), 0U);
}

struct ClosesAtOnce {
    int* reads;
    void read(auto& peer, std::string_view) {
        ++*reads;
        peer.closeAfterFlush();
    }
};

TEST_F(KeptTest, AClosingConnectionKeepsNoItems) {
    int reads = 0;
    auto& peer = add(nio::pipeline(nio::lines(), Twice(), ClosesAtOnce{&reads}));
    link.peer.send("abc\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return reads == 1; }));
    EXPECT_EQ(peer.remains().unreadBytes, 0U);
}

}  // namespace
}  // namespace pipelinetest
