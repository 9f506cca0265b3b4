// SmppLink: requests that are held back while the window of the peer is full.
#include "sms_router/session/HeldRequests.h"

#include "apps/sms_router/session/LinkCase.h"

namespace router {
namespace {

class HeldRequestsTest : public LinkCase {
  protected:
    void hold(bool held, std::size_t most = 1000) {
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            noting->holdRequestsNow(held, most);
        });
    }
    void expectEnquiryAnswered(const std::string& sequence) {
        peer.send("00000010 00000015 00000000" + sequence);
        EXPECT_EQ(peer.next(), written("00000010 80000015 00000000" + sequence));
    }
    static std::string submit(const std::string& sequence) {
        return "0000002B 00000004 00000000" + sequence +
               "00 00 00 00 01 01 '12345' 00 00 00 00 00 00 00 00 00 00 05 'hello'";
    }
    static std::string answer(const std::string& sequence) {
        return written("00000011 80000004 00000000" + sequence + "00");
    }
};

TEST_F(HeldRequestsTest, WaitWhileAnswersAndEnquiriesDoNot) {
    openAndBind();
    ASSERT_TRUE(request(77));
    EXPECT_NE(peer.next(), "");
    hold(true);
    peer.send(submit("00000002"));
    expectEnquiryAnswered("00000003");
    peer.send("00000011 80000005 00000000 00000001 00");
    ASSERT_TRUE(untilTold("answer to 77, 0"));
    EXPECT_EQ(noting->told.size(), 2u) << "the request was told of";
    hold(false);
    EXPECT_EQ(peer.next(), answer("00000002"));
}

TEST_F(HeldRequestsTest, AreTakenInTheirOrderBeforeOthers) {
    openAndBind();
    hold(true);
    peer.send(submit("00000002"));
    peer.send(submit("00000003"));
    expectEnquiryAnswered("00000004");
    hold(false);
    peer.send(submit("00000005"));
    for (const std::string number : {"00000002", "00000003", "00000005"}) {
        EXPECT_EQ(peer.next(), answer(number));
    }
}

TEST_F(HeldRequestsTest, OfAnUnbindKeepTheirPlaceBeforeIt) {
    openAndBind();
    hold(true);
    peer.send(submit("00000002"));
    peer.send("00000010 00000006 00000000 00000003");
    expectEnquiryAnswered("00000004");
    hold(false);
    EXPECT_EQ(peer.next(), answer("00000002"));
    EXPECT_EQ(peer.next(), written("00000010 80000006 00000000 00000003"));
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(HeldRequestsTest, AtTheirLimitNothingIsRead) {
    openAndBind();
    hold(true, 2 * 43);
    peer.send(submit("00000002"));
    expectEnquiryAnswered("00000003");
    peer.send(submit("00000004"));
    peer.send("00000010 00000015 00000000 00000005");
    EXPECT_TRUE(peer.isSilent());
    hold(false);
    EXPECT_EQ(peer.next(), answer("00000002"));
    EXPECT_EQ(peer.next(), answer("00000004"));
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000005"));
}

TEST_F(HeldRequestsTest, WithoutRoomNothingIsReadAtOnce) {
    openAndBind();
    hold(true, 0);
    peer.send("00000010 00000015 00000000 00000005");
    EXPECT_TRUE(peer.isSilent());
    hold(false, 0);
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000005"));
}

TEST_F(HeldRequestsTest, CountForTheMemoryUntilTheEnd) {
    openAndBind();
    const auto held = [&] {
        std::size_t bytes = 0;
        inTurn([&] { bytes = dispatcher->memory().bytes(); });
        return bytes;
    };
    const std::size_t before = held();
    hold(true);
    peer.send(submit("00000002"));
    expectEnquiryAnswered("00000003");
    EXPECT_GE(held(), before + 43);
    peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !noting->isOpen(); }));
    EXPECT_EQ(held(), before);
}

TEST_F(HeldRequestsTest, DoNotHideThatThePeerHasGone) {
    openAndBind();
    hold(true);
    peer.send(submit("00000002"));
    peer.close();
    EXPECT_TRUE(untilTold("closed: the peer closed the connection"));
}

}  // namespace
}  // namespace router
