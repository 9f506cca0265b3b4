// Packets that cannot be queued for want of memory.
#include <nio/connection/PacketChannel.h>

#include <gtest/gtest.h>

#include <new>

#include <nio/codec/LengthFieldDecoder.h>

#include "support/FailingMemory.h"
#include "support/TestDispatcher.h"

namespace {

using support::FailingMemory;

class Ending final : public nio::PacketChannelListener {
  public:
    void packetArrived(nio::PacketChannel&, nio::ByteView) override {}
    void packetSent(nio::PacketChannel&) override {}
    void socketDisconnected(nio::PacketChannel&) override {}
    void socketException(nio::PacketChannel&, const nio::Error& error) override {
        isOutOfMemory = error.is(std::errc::not_enough_memory);
    }

    bool isOutOfMemory = false;
};

// What follows a part of a packet would be taken for the rest of it.
TEST(PacketChannelMemory, APacketThatIsQueuedInPartEndsItsConnection) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "no allocation can be made to fail here";
    support::TestDispatcher dispatcher;
    support::Link link = support::makeLink();
    const auto listener = std::make_shared<Ending>();
    nio::PacketChannel& channel = dispatcher.add(
        std::make_unique<nio::PacketChannel>(std::move(link.channel),
                                             std::make_unique<nio::LengthFieldDecoder>(), listener),
        nio::Interest::read);
    const std::string large(4 * nio::ChunkPool::chunkBytes, 'l');
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        channel.sendPacket(nio::asBytes("a")).orThrow();
        {
            const FailingMemory none = FailingMemory::from(0);
            EXPECT_THROW((void)channel.sendPacket(nio::asBytes(large)), std::bad_alloc);
        }
        (void)channel.sendPacket(nio::asBytes("b"));
    });
    dispatcher.turns(2);
    EXPECT_TRUE(listener->isOutOfMemory);
    EXPECT_EQ(link.peer.receiveAll().find('b'), std::string::npos);
}

}  // namespace
