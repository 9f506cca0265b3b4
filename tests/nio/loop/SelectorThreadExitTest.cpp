// A dispatcher that is destroyed inside one of its own turns, as a static one is by exit() in a
// callback: it says which one and what to do, and aborts.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <nio/base/Log.h>
#include <nio/group/SelectorThreadGroup.h>

#include "support/ForkedProcess.h"
#include "support/LogCapture.h"
#include "support/TestSockets.h"

namespace nio {
namespace {

// What a process logs that runs it, which must abort.
std::string lastWordsOf(const std::function<void()>& run) {
    support::Link link = support::makeLink();
    support::ForkedProcess process([&] {
        setLogger([&](LogLevel, std::string_view line) {
            (void)kernel::send(link.channel.fd(), asBytes(line));
        });
        run();
        return 0;
    });
    EXPECT_EQ(process.wait(), -SIGABRT);
    return link.peer.receiveWhatIsThere();
}

TEST(SelectorThreadExit, InItsOwnTurnIsNamedAndAborts) {
    const std::string words = lastWordsOf([] {
        SelectorThreadOptions options;
        options.name = "mine";
        options.stallLimit = std::chrono::milliseconds::zero();
        auto* dispatcher = new SelectorThread(std::move(options));
        (void)dispatcher->invokeLater([dispatcher] { delete dispatcher; });
        dispatcher->run();
    });
    EXPECT_NE(words.find("dispatcher 'mine' is destroyed inside one of its own turns"),
              std::string::npos)
        << words;
    EXPECT_NE(words.find("requestClose()"), std::string::npos);
}

TEST(SelectorThreadExit, OfAGroupNamesTheDispatcherWhoseTurnItIs) {
    const std::string words = lastWordsOf([] {
        SelectorThreadGroupOptions options;
        options.threads = 2;
        options.thread.name = "mine";
        options.thread.stallLimit = std::chrono::milliseconds::zero();
        auto* group = new SelectorThreadGroup(std::move(options));
        group->start();
        (void)(*group)[1].invokeLater([group] { delete group; });
        for (;;) ::pause();
    });
    EXPECT_NE(words.find("dispatcher 'mine-2' is destroyed inside"), std::string::npos) << words;
}

TEST(SelectorThreadExit, ToJoinItselfIsAnError) {
    const support::LogCapture log;
    SelectorThread dispatcher;
    ASSERT_TRUE(dispatcher.invokeLater([&] { dispatcher.join(); }));
    dispatcher.turn(std::chrono::nanoseconds::zero());
    EXPECT_EQ(log.count("waits for itself"), 1u);
}

}  // namespace
}  // namespace nio
