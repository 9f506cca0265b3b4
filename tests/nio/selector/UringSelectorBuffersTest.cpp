// How many buffers the engine on io_uring receives into.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include <nio/selector/UringSelector.h>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Link;
using support::makeLink;
using support::TestDispatcher;

// Each of those that find none says so; the pool is doubled once.
TEST(UringSelectorBuffers, AreTwiceAsManyOnceTheyHaveRunOutHoweverManyFoundNone) {
    constexpr std::size_t atFirst = 16;
    UringIo* io = nullptr;
    SelectorThreadOptions options;
    options.openSelector = [&io]() -> Result<std::unique_ptr<Selector>> {
        Result<std::unique_ptr<Selector>> selector = UringSelector::open({});
        if (selector) io = dynamic_cast<UringIo*>(&selector.value()->io());
        return selector;
    };
    const auto selector = UringSelector::open({});
    if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
    support::Journal journal;
    TestDispatcher dispatcher("test", options);
    ASSERT_EQ(io->buffers().provided(), atFirst);
    std::list<Link> links;
    for (std::size_t i = 0; i < atFirst + 8; ++i) {
        Link& link = links.emplace_back(makeLink());
        link.peer.send("x");
        auto handler =
            std::make_unique<support::RecordingHandler>(std::move(link.channel), "h", journal);
        ASSERT_TRUE(dispatcher->registerChannelLater(std::move(handler), Interest::read));
    }
    const auto areAllRead = [&] {
        return static_cast<std::size_t>(std::count(journal.begin(), journal.end(), "h read")) >=
               links.size();
    };
    ASSERT_TRUE(dispatcher.turnUntil(areAllRead));
    EXPECT_EQ(io->buffers().provided(), 2 * atFirst);
}

}  // namespace
}  // namespace nio
