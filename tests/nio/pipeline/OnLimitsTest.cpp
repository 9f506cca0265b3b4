// Both ways of nio::on are bounded: what a dispatcher that is held up has not taken.
#include <memory>

#include "nio/pipeline/OnCase.h"

#include <nio/memory/MemoryBudget.h>
#include <nio/pipeline/Observers.h>

namespace pipelinetest {
namespace {

const std::string line(1023, 'x');
const std::string kibibyte = line + '\n';

class OnLimitsTest : public OnCase {
  protected:
    template <class Application>
    auto& connect(Application application, const nio::StreamOptions& options = {}) {
        auto& front =
            add(nio::pipeline(nio::lines(), nio::on(*other), std::move(application)).with(options));
        turns();
        return front;
    }
    // Until nothing more is read. Returns how much the kernel took of it.
    std::size_t sendUntilPaused(auto& front) {
        std::size_t sent = 0;
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            const auto done = nio::kernel::send(link.peer.fd(), nio::asBytes(kibibyte));
            if (done.isDone()) sent += done.bytes;
            return front.isReadingPaused();
        }));
        dispatcher.turns(3);
        return sent;
    }
};

TEST_F(OnLimitsTest, AHeldUpBackPausesReads) {
    std::size_t lines = 0;
    auto& front = connect([&](auto&, std::string_view) { ++lines; });
    const std::size_t sent = sendUntilPaused(front);
    EXPECT_TRUE(front.isReadingPaused());
    EXPECT_EQ(other->queue()->size(), 1u);
    EXPECT_EQ(lines, 0u);
    // Some lines below, at the most what one receive has brought above.
    EXPECT_GT(sent, 32u * 1024);
    EXPECT_LT(front.remains().unreadBytes, 128u * 1024);
    const std::size_t wanted = sent / kibibyte.size();
    EXPECT_TRUE(turnUntil([&] { return lines >= wanted; }));
    EXPECT_FALSE(front.isReadingPaused());
}

TEST_F(OnLimitsTest, ItemsThatComeDuringALongBurstFollow) {
    nio::StreamOptions options;
    options.maxPacketsPerTurn = 2;
    nio::Traffic traffic;
    std::size_t lines = 0;
    add(nio::pipeline(nio::lines(), nio::count(traffic), nio::on(*other),
                      [&](auto&, std::string_view) { ++lines; })
            .with(options));
    turns();
    const auto send = [&](std::string_view text, std::size_t count) {
        link.peer.send(text);
        return dispatcher.turnUntil([&] { return traffic.read == count; });
    };
    EXPECT_TRUE(send("1\n2\n3\n", 3));
    EXPECT_TRUE(other.turnUntil([&] { return lines == 2; }));
    EXPECT_TRUE(send("4\n", 4));
    EXPECT_TRUE(turnUntil([&] { return lines == 4; }));
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(OnLimitsTest, TheHighMarkOfACrossingIsAnOption) {
    nio::StreamOptions options;
    options.crossingHighMark = 1;
    std::size_t lines = 0;
    auto& front = connect([&](auto&, std::string_view) { ++lines; }, options);
    link.peer.send("a\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return front.isReadingPaused(); }));
    link.peer.send("b\n");
    EXPECT_TRUE(turnUntil([&] { return lines == 2; }));
    turns();
    EXPECT_FALSE(front.isReadingPaused());
}

TEST_F(OnLimitsTest, APacketLargerThanTheMarkIsFramedBehindIt) {
    nio::StreamOptions options;
    options.crossingHighMark = 1024;
    std::size_t got = 0;
    add(nio::pipeline(nio::on(*other), nio::lines(1024 * 1024), [&](auto&, std::string_view text) {
            got = text.size();
        }).with(options));
    turns();
    const std::string large = std::string(300 * 1024, 'x') + '\n';
    std::size_t sent = 0;
    EXPECT_TRUE(turnUntil([&] {
        const auto rest = nio::asBytes(std::string_view(large).substr(sent));
        const auto done = nio::kernel::send(link.peer.fd(), rest);
        if (done.isDone()) sent += done.bytes;
        return got != 0;
    }));
    EXPECT_EQ(got, large.size() - 1);
}

struct Pausing {
    std::size_t* lines;
    nio::UniqueFunction<void()>* resume;

    void read(auto& peer, std::string_view) {
        ++*lines;
        peer.pauseReading();
        *resume = [&peer] { peer.resumeReading(); };
    }
};

TEST_F(OnLimitsTest, APausedApplicationPausesReads) {
    std::size_t lines = 0;
    nio::UniqueFunction<void()> resume;
    auto& front = connect(Pausing{&lines, &resume});
    const std::size_t sent = [&] {
        std::size_t bytes = 0;
        EXPECT_TRUE(turnUntil([&] {
            const auto done = nio::kernel::send(link.peer.fd(), nio::asBytes(kibibyte));
            if (done.isDone()) bytes += done.bytes;
            return front.isReadingPaused();
        }));
        return bytes;
    }();
    turns();
    EXPECT_EQ(lines, 1u);
    const std::size_t wanted = sent / kibibyte.size();
    for (std::size_t i = 1; i < wanted; ++i) {
        other.inTurn([&] { resume(); });
        EXPECT_TRUE(turnUntil([&] { return lines == i + 1; })) << i;
    }
}

TEST_F(OnLimitsTest, APauseOfTheFrontByOthersStays) {
    std::size_t lines = 0;
    auto& front = connect([&](auto& peer, std::string_view text) {
        ++lines;
        peer.send(text);
    });
    link.peer.send("one\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    dispatcher.inTurn([&] { front.pauseReading(); });
    EXPECT_EQ(receive(4), "one\n");
    turns();
    EXPECT_TRUE(front.isReadingPaused());
    link.peer.send("two\n");
    turns();
    EXPECT_EQ(lines, 1u);
    dispatcher.inTurn([&] { front.resumeReading(); });
    EXPECT_EQ(receive(4), "two\n");
}

// Sends all that it may below the high-water mark.
struct Filling {
    Strings* seen;
    std::size_t* sent;

    void fill(auto& peer) {
        while (!peer.isOutputAboveMark() && peer.pendingBytes() <= peer.options().outputHighMark) {
            peer.send(line);
            ++*sent;
        }
    }
    void opened(auto& peer) { fill(peer); }
    void read(auto&, std::string_view) {}
    void aboveMark(auto&) { seen->push_back("above"); }
    void belowMark(auto& peer) {
        seen->push_back("below");
        fill(peer);
    }
};

TEST_F(OnLimitsTest, AHeldUpFrontIsAboveTheMark) {
    nio::StreamOptions options;
    options.outputHighMark = 64 * 1024;
    std::size_t sent = 0;
    add(nio::pipeline(nio::lines(), nio::on(*other), Filling{&seen, &sent}).with(options));
    other.turns(20);
    EXPECT_EQ(seen, (Strings{"above"}));
    EXPECT_LE(sent, 66u);
    EXPECT_GE(dispatcher->queue()->size(), 1u);
    EXPECT_GE(receive(1024 * 1024).size(), 1024u * 1024);
    EXPECT_GT(seen.size(), 2u) << "below, above, and so on";
    EXPECT_EQ(seen[1], "below");
}

TEST_F(OnLimitsTest, OutputOverTheLimitIsRefusedWhileHeldUp) {
    nio::StreamOptions options;
    options.outputLimit = 64 * 1024;
    std::size_t sent = 0;
    connect(
        [&](auto& peer, std::string_view) {
            for (; peer.maySend(); ++sent) peer.send(line);
        },
        options);
    link.peer.send("x\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    other.turns(2);
    EXPECT_GT(sent, 60u);
    EXPECT_LE(sent, 65u);
    EXPECT_EQ(other->connectionCount(), 0u);
    EXPECT_TRUE(turnUntilEnded());
}

class OnBudgetTest : public OnCase {
  protected:
    static nio::SelectorThreadOptions with(const std::shared_ptr<nio::MemoryBudget>& budget) {
        nio::SelectorThreadOptions options;
        options.memoryBudget = budget;
        return options;
    }

    void turnsOfBoth() {
        for (int i = 0; i < 4; ++i) {
            front.turn();
            other.turn();
        }
    }
    void usePressure(bool on) {
        const auto all = static_cast<std::ptrdiff_t>(budget->options().bytes);
        budget->addPosted(on ? all : -all);
        ASSERT_EQ(budget->pausesPosts(), on);
    }

    const std::shared_ptr<nio::MemoryBudget> budget = std::make_shared<nio::MemoryBudget>();
    support::TestDispatcher front{"front", with(budget)};
};

TEST_F(OnBudgetTest, CountsWhatIsInFlight) {
    front.add(nio::pipeline(nio::lines(), nio::on(*other),
                            [](auto& peer, std::string_view text) { peer.send(text); })(
                  std::move(link.channel)),
              nio::Interest::read);
    front.turns(2);
    other.turns(2);
    for (int i = 0; i < 16; ++i) link.peer.send(kibibyte);
    EXPECT_TRUE(front.turnUntil([&] { return budget->figures().bytes > 16u * 1024; }));
    other.turns(2);
    EXPECT_GT(budget->figures().bytes, 16u * 1024) << "now it is output";
    std::string got;
    EXPECT_TRUE(front.turnUntil([&] {
        other.turn();
        return (got += link.peer.receiveWhatIsThere()).size() == 16u * 1024;
    }));
    front.turns(2);
    other.turns(2);
    EXPECT_EQ(budget->figures().bytes, 0u);
}

TEST_F(OnBudgetTest, ABrokenOffPacketOutlastsThePressure) {
    std::string got;
    front.add(
        nio::pipeline(nio::on(*other), nio::lines(),
                      [&](auto&, std::string_view text) { got = text; })(std::move(link.channel)),
        nio::Interest::read);
    turnsOfBoth();
    usePressure(true);
    link.peer.send("abc");
    EXPECT_TRUE(front.turnUntil([&] { return other->queue()->size() > 0; }));
    turnsOfBoth();
    usePressure(false);
    link.peer.send("def\n");
    EXPECT_TRUE(front.turnUntil([&] {
        other.turn();
        return !got.empty();
    }));
    EXPECT_EQ(got, "abcdef");
}

TEST_F(OnBudgetTest, APausedApplicationOutlastsThePressure) {
    std::size_t lines = 0;
    nio::UniqueFunction<void()> resume;
    front.add(nio::pipeline(nio::lines(), nio::on(*other),
                            Pausing{&lines, &resume})(std::move(link.channel)),
              nio::Interest::read);
    turnsOfBoth();
    usePressure(true);
    link.peer.send("1\n2\n3\n");
    EXPECT_TRUE(front.turnUntil([&] { return other->queue()->size() > 0; }));
    turnsOfBoth();
    EXPECT_EQ(lines, 1u);
    usePressure(false);
    link.peer.send("4\n");
    for (std::size_t i = 2; i <= 4; ++i) {
        other.inTurn([&] { resume(); });
        EXPECT_TRUE(front.turnUntil([&] {
            other.turn();
            return lines == i;
        }));
    }
}

TEST_F(OnBudgetTest, NothingIsCountedBehindTheEnd) {
    front.add(nio::pipeline(nio::lines(), nio::on(*other),
                            [](auto&, std::string_view) {})(std::move(link.channel)),
              nio::Interest::read);
    front.turns(2);
    link.peer.send(kibibyte);
    EXPECT_TRUE(front.turnUntil([&] { return budget->figures().bytes > 0; }));
    other->requestClose(nio::DrainOptions::atOnce());
    while (other.turn()) {
    }
    EXPECT_TRUE(front.turnUntil([&] { return front->connectionCount() == 0; }));
    front.turns(2);
    EXPECT_EQ(budget->figures().bytes, 0u);
}

}  // namespace
}  // namespace pipelinetest
