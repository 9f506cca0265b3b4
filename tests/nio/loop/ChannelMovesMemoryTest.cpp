// Moves in a program that is out of memory for a moment, whichever moment that is: the channel is
// at one place, or closed and reported, and nobody waits for it for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "support/Engines.h"
#include "support/FailingMemory.h"
#include "support/MovingHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::FailingMemory;
using support::MovingHandler;
using support::TestDispatcher;
using support::with;

// A channel whose home is a, and three dispatchers.
class Scene {
  public:
    explicit Scene(SelectorKind kind) : a{"a", with(kind)}, b{"b", with(kind)}, c{"c", with(kind)} {
        journal.reserve(1000);  // what the test itself writes down never fails
        handler = &a.add(std::make_unique<MovingHandler>(std::move(link.channel), "c", journal),
                         Interest::read);
        a.inTurn([&] { handle = a->handleOf(handler->channel()); });
        settle();
    }

    void settle() {
        for (int i = 0; i < 8; ++i) {
            for (TestDispatcher* each : all()) each->turn();
        }
    }
    std::array<TestDispatcher*, 3> all() { return {&a, &b, &c}; }
    void askFor(TestDispatcher& target) {
        ASSERT_TRUE(a->moves().moveLater(handle, *target, [this](const Error&) { ++refused; }));
    }
    bool isAt(TestDispatcher& dispatcher) {
        bool found = false;
        dispatcher.inTurn([&] { found = dispatcher->findNow(handle) != nullptr; });
        return found;
    }
    bool isClosed() const { return std::count(journal.begin(), journal.end(), "c destroyed") == 1; }
    std::size_t dropped() {
        return a->moves().droppedTasks() + b->moves().droppedTasks() + c->moves().droppedTasks();
    }

    void expectOrder() {
        settle();
        std::size_t places = 0;
        std::size_t connections = 0;
        for (TestDispatcher* each : all()) {
            places += isAt(*each) ? 1 : 0;
            connections += (*each)->connectionCount();
        }
        EXPECT_EQ(places, isClosed() ? 0u : 1u);
        EXPECT_EQ(connections, places);
        EXPECT_EQ(std::count(journal.begin(), journal.end(), "c closed"), isClosed() ? 1 : 0);
        const std::size_t droppedBefore = dropped();
        bool ran = false;
        ASSERT_TRUE(a->invokeLater(handle, [&](SelectorHandler& found) {
            ran = true;
            found.channel().close();
        }));
        settle();
        EXPECT_EQ(ran, places == 1);
        EXPECT_EQ(dropped() - droppedBefore, 1 - places);
        EXPECT_TRUE(isClosed());
        for (TestDispatcher* each : all()) (*each)->requestClose({.deadline = 1h});
        settle();
        for (TestDispatcher* each : all()) EXPECT_TRUE((*each)->isStopped());
    }

    support::Journal journal;
    int refused = 0;
    support::Link link = support::makeLink();
    ChannelHandle handle;
    MovingHandler* handler = nullptr;
    TestDispatcher a, b, c;
};

class MovesWithoutMemory : public testing::TestWithParam<SelectorKind> {
  protected:
    void SetUp() override {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    }
    // Each allocation of `step` in turn, until it needs no more.
    template <class Prepare, class Step>
    void sweep(Prepare&& prepare, Step&& step) {
        bool failed = true;
        for (std::size_t n = 0; failed && !HasFailure(); ++n) {
            SCOPED_TRACE(testing::Message() << "allocation " << n);
            ASSERT_LT(n, 1000u);
            Scene scene(GetParam());
            prepare(scene);
            {
                const FailingMemory failing = FailingMemory::nth(n);
                step(scene);
                failed = failing.hasFailed();
            }
            scene.expectOrder();
        }
    }
    static void turns(Scene& scene) {
        for (int i = 0; i < 4; ++i) {
            for (TestDispatcher* each : scene.all()) each->turn();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, MovesWithoutMemory, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(MovesWithoutMemory, AMoveFromHomeEndsSomewhere) {
    sweep([](Scene& scene) { scene.askFor(scene.b); }, turns);
}

TEST_P(MovesWithoutMemory, AMoveOnwardsEndsSomewhere) {
    sweep(
        [](Scene& scene) {
            scene.askFor(scene.b);
            scene.settle();
            scene.askFor(scene.c);
        },
        turns);
}

TEST_P(MovesWithoutMemory, AMoveHomeEndsSomewhere) {
    sweep(
        [](Scene& scene) {
            scene.askFor(scene.b);
            scene.settle();
            scene.askFor(scene.a);
        },
        turns);
}

TEST_P(MovesWithoutMemory, AGuestThatIsClosedIsHeardOf) {
    sweep(
        [](Scene& scene) {
            scene.askFor(scene.b);
            scene.settle();
            scene.link.peer.close();
        },
        turns);
}

// Home's queue is full to the brim: the next post needs memory.
void fillChunk(SelectorThread& thread) {
    const FailingMemory failing = FailingMemory::from(TaskList::chunkBytes);
    try {
        while (thread.invokeLater([] {})) {
        }
    } catch (const std::bad_alloc&) {
    }
}

TEST_P(MovesWithoutMemory, AHomeThatCannotBeToldOfAnEndIsToldLater) {
    Scene scene(GetParam());
    scene.askFor(scene.b);
    scene.settle();
    scene.link.peer.close();
    fillChunk(*scene.a);
    {
        const FailingMemory failing = FailingMemory::from(TaskList::chunkBytes);
        scene.b.turns(4);
        EXPECT_TRUE(failing.hasFailed());
        EXPECT_TRUE(scene.isClosed());
        EXPECT_EQ(scene.b->connectionCount(), 0u);
    }
    EXPECT_TRUE(scene.b.failures.empty());
    scene.expectOrder();
}

TEST_P(MovesWithoutMemory, AHomeThatCannotBeToldOfAnArrivalIsToldLater) {
    Scene scene(GetParam());
    scene.askFor(scene.b);
    scene.a.turns(4);
    bool ran = false;
    ASSERT_TRUE(scene.a->invokeLater(scene.handle, [&](SelectorHandler&) { ran = true; }));
    scene.a.turn();
    fillChunk(*scene.a);
    {
        const FailingMemory failing = FailingMemory::from(TaskList::chunkBytes);
        scene.b.turns(4);
        EXPECT_TRUE(failing.hasFailed());
    }
    scene.settle();
    EXPECT_TRUE(ran);
    scene.expectOrder();
}

TEST_P(MovesWithoutMemory, ATaskThatCannotBeForwardedFails) {
    Scene scene(GetParam());
    scene.askFor(scene.b);
    scene.settle();
    int found = 0;
    ASSERT_TRUE(scene.a->invokeLater(scene.handle, [&](SelectorHandler&) { ++found; }));
    fillChunk(*scene.b);
    {
        const FailingMemory failing = FailingMemory::from(TaskList::chunkBytes);
        scene.a.turn();
        EXPECT_TRUE(failing.hasFailed());
    }
    EXPECT_EQ(scene.a.failures.size(), 1u);
    EXPECT_EQ(scene.dropped(), 0u);
    scene.settle();
    EXPECT_EQ(found, 0);
    EXPECT_TRUE(scene.isAt(scene.b));
    scene.expectOrder();
}

TEST_P(MovesWithoutMemory, AMoveThatCannotBeHeldBackIsRefused) {
    Scene scene(GetParam());
    scene.askFor(scene.b);
    scene.a.turns(4);  // on its way
    scene.askFor(scene.c);
    {
        const FailingMemory failing = FailingMemory::from(0);
        scene.a.turn();
        EXPECT_TRUE(failing.hasFailed());
    }
    EXPECT_EQ(scene.refused, 1);
    EXPECT_TRUE(scene.a.failures.empty());
    scene.settle();
    EXPECT_TRUE(scene.isAt(scene.b));
    scene.expectOrder();
}

TEST_P(MovesWithoutMemory, AMoveThatCannotBePostedIsRefusedAndTheChannelStays) {
    Scene scene(GetParam());
    scene.askFor(scene.b);
    {
        const FailingMemory failing = FailingMemory::from(TaskList::chunkBytes);
        scene.a.turns(3);
        EXPECT_TRUE(failing.hasFailed());
    }
    EXPECT_EQ(scene.refused, 1);
    EXPECT_TRUE(scene.isAt(scene.a));
    EXPECT_FALSE(scene.isClosed());
    scene.expectOrder();
}

}  // namespace
}  // namespace nio
