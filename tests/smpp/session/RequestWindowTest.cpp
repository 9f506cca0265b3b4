#include "SessionTesting.h"

#include <smpp/session/RequestWindow.h>

namespace smpp {
namespace {

using namespace smpp::smpptest;

// Writes down what a window tells.
class Told final : public SessionEvents {
  public:
    void transmit(nio::ByteView) override {}
    void requestArrived(const Pdu&) override {}
    void responseArrived(const Pdu&, Cookie cookie) override { line("response", cookie); }
    void answeredLate(const Pdu&, Cookie cookie) override { line("late", cookie); }
    void requestLost(Cookie cookie, Lost how, Status) override {
        line("lost " + std::string(nameOf(how)), cookie);
    }
    void ended(End) override {}

    Lines news() { return std::exchange(lines_, {}); }

  private:
    void line(const std::string& what, Cookie cookie) {
        lines_.push_back(what + " " + std::to_string(cookie));
    }

    Lines lines_;
};

class RequestWindowTest : public testing::Test {
  protected:
    std::uint32_t sends(Cookie cookie, Time due) {
        const std::uint32_t sequence = window.nextSequence(0, 0);
        window.add({sequence, Command::deliverSm, cookie, due});
        return sequence;
    }
    bool receives(Command command, std::uint32_t sequence) {
        const nio::Bytes pdu = validPdu(command, sequence);
        return window.answered(scan(pdu), told);
    }
    void strays(std::uint32_t sequence) {
        const nio::Bytes pdu = validPdu(Command::deliverSmResp, sequence);
        window.strayArrived(scan(pdu), told);
    }

    RequestWindow window{2, 1};
    Told told;
};

TEST_F(RequestWindowTest, IsFullWithAsManyRequestsAsPlaces) {
    EXPECT_TRUE(window.empty());
    sends(50, 10s);
    EXPECT_FALSE(window.isFull());
    sends(51, 10s);
    EXPECT_TRUE(window.isFull());
    EXPECT_EQ(window.size(), 2u);
}

TEST_F(RequestWindowTest, SkipsTheNumbersInUse) {
    EXPECT_EQ(window.nextSequence(1, 2), 3u);
    EXPECT_EQ(window.nextSequence(0, 4), 5u);
}

TEST_F(RequestWindowTest, AnAnswerIsToldOfOnce) {
    sends(50, 10s);
    EXPECT_TRUE(receives(Command::deliverSmResp, 1));
    EXPECT_FALSE(receives(Command::deliverSmResp, 1));
    EXPECT_EQ(told.news(), Lines{"response 50"});
    EXPECT_TRUE(window.empty());
}

TEST_F(RequestWindowTest, AnAnswerToAnotherCommandLosesTheRequest) {
    sends(50, 10s);
    EXPECT_TRUE(receives(Command::submitSmResp, 1));
    EXPECT_EQ(told.news(), Lines{"lost nacked 50"});
}

TEST_F(RequestWindowTest, ARequestIsLostAtItsDeadline) {
    sends(50, 10s);
    sends(51, 11s);
    EXPECT_EQ(window.nextDue(), 10s);
    window.loseLate(10s, told);
    EXPECT_EQ(told.news(), Lines{"lost timedOut 50"});
    window.postpone(20s);
    EXPECT_EQ(window.nextDue(), 20s);
    window.loseAll(told);
    EXPECT_EQ(told.news(), Lines{"lost disconnected 51"});
    EXPECT_EQ(window.nextDue(), SessionClock::never);
}

TEST_F(RequestWindowTest, ALateAnswerFindsItsRequestOnce) {
    sends(50, 10s);
    window.loseLate(10s, told);
    told.news();
    for (int i = 0; i < 2; ++i) strays(1);
    EXPECT_EQ(told.news(), Lines{"late 50"});
    EXPECT_EQ(window.strays(), 2u);
}

}  // namespace
}  // namespace smpp
