// What the tests of encoding stages share: one connection of a ToyStage, lines() and an application
// of hooks, and its peer, who speaks toy frames by hand.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "nio/pipeline/ToyStage.h"
#include "support/Hooked.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

namespace support {

using ToyApplication = Hooked<ToyStage, nio::Framed<nio::LineDecoder>>;
using ToyPeer = ToyApplication::Peer;
using ToyHooks = ToyApplication::Hooks;

class ToyPipeline : public ::testing::Test {
  protected:
    const std::string hello = std::string(1, toyGreeting);

    ToyPeer& add(const nio::StreamOptions& options = {}, bool greets = false) {
        const auto make =
            nio::pipeline(ToyStage(greets), nio::lines(), ToyApplication(app)).with(options);
        return dispatcher.add(make(std::move(link.channel)), nio::Interest::read);
    }
    // With the greeting behind it.
    ToyPeer& addReady(const nio::StreamOptions& options = {}) {
        ToyPeer& peer = add(options);
        link.peer.send(hello);
        EXPECT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
        EXPECT_EQ(link.peer.receive(1), hello);
        return peer;
    }
    bool readable() {
        pollfd entry{link.peer.fd(), POLLIN, 0};
        return nio::kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero()).value() > 0;
    }
    void collect() {
        app->onPacket = [this](ToyPeer&, std::string_view packet) { arrived.emplace_back(packet); };
    }
    bool turnUntilEnded() {
        return dispatcher.turnUntil([&] { return app->closed == 1; });
    }
    // Whether a turn with nothing to do sleeps.
    bool sleeps() {
        constexpr std::chrono::milliseconds sleep{15};
        nio::Clock::duration longest{0};
        for (int i = 0; i < 3 && longest < sleep; ++i) {
            const nio::TimePoint begin = nio::Clock::now();
            dispatcher->turn(sleep);
            longest = nio::Clock::now() - begin;
        }
        return longest >= sleep;
    }
    // All that comes until the connection has finished.
    ToyText receiveAll() {
        std::string stream;
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            stream += link.peer.receiveWhatIsThere();
            return link.peer.last().status != nio::IoStatus::wouldBlock;
        }));
        return toyDecode(stream);
    }
    // At least so much text.
    ToyText receiveText(std::size_t count) {
        std::string stream;
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            stream += link.peer.receiveWhatIsThere();
            return toyDecode(stream).text.size() >= count;
        }));
        return toyDecode(stream);
    }

    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    const std::shared_ptr<ToyHooks> app = std::make_shared<ToyHooks>();
    std::vector<std::string> arrived;
    TestDispatcher dispatcher;
};

}  // namespace support
