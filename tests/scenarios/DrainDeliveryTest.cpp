// A drain while the kernel holds answers that the peer has not taken yet.
#include "scenarios/Scenario.h"

namespace {

using std::chrono::milliseconds;

// An answer that the kernel has taken, and the peer, who can take little at a time, has not.
class DrainOutOfTheKernel : public scenarios::Scenario {
  protected:
    DrainOutOfTheKernel() {
        setup.sendBufferBytes = 200'000;
        setup.stream.lingerTimeout = milliseconds(20);
        listener->onPacket = [this](support::PacketChannel& channel, std::string_view) {
            channel.send(answer);
            fd_ = channel.channel().fd();
        };
    }

    support::TestClient& drainBeforeAPeerThatDoesNotRead() {
        serve([] { return std::make_unique<nio::LineDecoder>(200'000); });
        support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
        client.stopReading();
        client.send("question\n");
        EXPECT_TRUE(server().until([&] { return listener->packets == 1; }));
        server().group().requestClose(
            {.deadline = std::chrono::hours(1), .quietPeriod = milliseconds(20)});
        return client;
    }
    // One turn of each dispatcher, in which it can sleep until it looks at the peer, but not more
    // than once: between any two looks the test has its say.
    void turnWithALook() {
        for (std::size_t i = 0; i < server().group().size(); ++i) {
            server().dispatcher(i).turn(2 * setup.stream.lingerTimeout);
        }
    }

    // The client takes what it needs to take for the server's kernel to see it.
    std::size_t takeSome(support::TestClient& client) {
        const std::size_t before = nio::kernel::undeliveredBytes(fd_);
        nio::Bytes piece(8 * 1024);
        std::size_t taken = 0;
        while (before > 0 && nio::kernel::undeliveredBytes(fd_) == before) {
            taken += nio::kernel::receive(client.fd(), piece).bytes;
        }
        return taken;
    }

    const std::string answer = std::string(150'000, 'x');

  private:
    int fd_ = -1;  // the server's
};
INSTANTIATE_TEST_SUITE_P(Sockets, DrainOutOfTheKernel, scenarios::everySetting(),
                         scenarios::nameOf);

// A peer that still sends once lost them with the connection.
TEST_P(DrainOutOfTheKernel, APeerIsWaitedForAsLongAsItTakesSomething) {
    support::TestClient& client = drainBeforeAPeerThatDoesNotRead();
    std::size_t received = 0;
    while (const std::size_t taken = takeSome(client)) {
        received += taken;
        turnWithALook();
    }
    client.send("one more\n");  // RST is the answer, where the connection is gone
    client.pump();
    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.hasEnded() && server().hasStopped(); }));
    EXPECT_EQ(received + client.received().size(), answer.size() + 1);
    EXPECT_EQ(client.end(), End::finished);
    EXPECT_EQ(server().group().drainReport().drained, 1U);
}

TEST_P(DrainOutOfTheKernel, APeerThatReadsNothingEndsBeforeTheDeadline) {
    drainBeforeAPeerThatDoesNotRead();
    ASSERT_TRUE(server().untilStopped());
    EXPECT_EQ(listener->disconnected, 1U);
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.drained, 1U) << report.toString();
}

}  // namespace
