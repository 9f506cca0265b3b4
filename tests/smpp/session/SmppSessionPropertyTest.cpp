// Two sessions back to back, driven at random: whatever happens to the connection, each request is
// answered or lost exactly once, and never more wait than the window allows.
#include "SessionTesting.h"

#include <array>
#include <map>
#include <random>
#include <span>

namespace smpp {
namespace {

using namespace smpp::smpptest;

using Random = std::mt19937;

bool oneIn(Random& random, unsigned many) {
    return random() % many == 0;
}

// One end: its session, the octets on their way to it, and an owner who answers late or never.
class Peer final : public SessionEvents {
  public:
    Peer(const SessionOptions& options, Random& random)
        : random_(random),
          window_(options.window),
          session_(std::make_shared<const SessionOptions>(options), *this, now_) {}

    void connectTo(Peer& other) { other_ = &other; }
    SmppSession& session() { return session_; }

    // --- what the driver does -------------------------------------------------------------------

    void makeRequest() {
        constexpr std::array commands{Command::dataSm, Command::submitSm, Command::deliverSm,
                                      Command::alertNotification};
        const Command command = commands[random_() % commands.size()];
        nio::Bytes pdu = validPdu(command, 0);
        const Cookie cookie = nextCookie_++;
        const bool waits = command != Command::alertNotification;
        if (waits) outcomes_[cookie] = 0;  // before: its end may come while it is sent
        if (session_.request(pdu, cookie, now_) == 0) outcomes_.erase(cookie);
        EXPECT_LE(session_.outstanding(), window_);
    }
    void answerOne() {
        if (toAnswer_.empty()) return;
        const std::size_t place = random_() % toAnswer_.size();
        const auto [command, sequence] = toAnswer_[place];
        toAnswer_.erase(toAnswer_.begin() + static_cast<std::ptrdiff_t>(place));
        if (oneIn(random_, 8)) return;  // never
        const std::array answers{pduOf(responseTo(command), sequence, bodyOf(responseTo(command))),
                                 pduOf(responseTo(command), sequence, "", Status::sysErr),
                                 pduOf(responseTo(command), sequence, "no string"),
                                 pduOf(Command::genericNack, sequence, "", Status::invCmdId),
                                 pduOf(Command::querySmResp, sequence)};
        session_.respond(answers[oneIn(random_, 3) ? random_() % answers.size() : 0]);
    }
    void takeSome() {
        const std::size_t octets = random_() % 60;
        for (std::size_t i = 0; i < octets && !arriving_.empty(); ++i) {
            unread_.push_back(arriving_.front());
            arriving_.erase(arriving_.begin());
        }
        std::size_t used = 0;
        for (;;) {
            const Framed framed = PduFramer().next(nio::ByteView(unread_).subspan(used));
            if (framed.kind == Framed::Kind::needMore) break;
            session_.received(framed, now_);
            used += framed.bytes.size();
        }
        unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(used));
        session_.waitsForRest(unread_.size(), now_);
    }
    void damage() {
        if (!arriving_.empty()) arriving_[random_() % arriving_.size()] ^= nio::Byte{0x41};
    }
    void passes(milliseconds time) {
        now_ += time;
        session_.tick(now_);
        EXPECT_GT(session_.nextTick(), now_);
    }
    void disconnects() { session_.disconnected(); }

    void expectEachRequestOnce() const {
        for (const auto& [cookie, times] : outcomes_) EXPECT_EQ(times, 1) << "cookie " << cookie;
        EXPECT_EQ(session_.outstanding(), 0u);
    }
    std::size_t requests() const { return outcomes_.size(); }
    std::size_t answered() const { return answered_; }

  private:
    void transmit(nio::ByteView octets) override {
        EXPECT_FALSE(over_);
        other_->arriving_.insert(other_->arriving_.end(), octets.begin(), octets.end());
        if (oneIn(random_, 400)) session_.disconnected();
    }
    void bindRequested(const Pdu&) override {
        oneIn(random_, 10) ? session_.refuseBind(Status::bindFail, now_)
                           : session_.acceptBind(now_);
    }
    void requestArrived(const Pdu& request) override {
        EXPECT_FALSE(over_);
        if (hasResponse(request.command())) {
            toAnswer_.emplace_back(request.command(), request.sequence());
        }
        if (oneIn(random_, 4)) makeRequest();
    }
    void responseArrived(const Pdu&, Cookie cookie) override {
        EXPECT_FALSE(over_);
        ++answered_;
        finished(cookie);
    }
    void requestLost(Cookie cookie, Lost, Status) override {
        EXPECT_FALSE(over_);
        finished(cookie);
    }
    void ended(smpp::End) override {
        EXPECT_FALSE(over_);
        over_ = true;
    }

    void finished(Cookie cookie) {
        EXPECT_EQ(outcomes_.count(cookie), 1u);
        EXPECT_EQ(++outcomes_[cookie], 1);
        if (oneIn(random_, 4)) makeRequest();
        if (oneIn(random_, 300)) session_.unbind(now_);
        if (oneIn(random_, 400)) session_.disconnected();
    }

    Random& random_;
    const std::size_t window_;
    Time now_{0};
    Peer* other_ = nullptr;
    nio::Bytes arriving_;
    nio::Bytes unread_;
    std::vector<std::pair<Command, std::uint32_t>> toAnswer_;
    std::map<Cookie, int> outcomes_;
    Cookie nextCookie_ = 1;
    std::size_t answered_ = 0;
    bool over_ = false;
    SmppSession session_;
};

SessionOptions someOptions(Side side, Random& random) {
    SessionOptions options = optionsOf(side);
    options.window = 1 + random() % 20;
    options.timers = {10s, milliseconds(500 + random() % 3000), milliseconds(random() % 2 * 20'000),
                      milliseconds(200 + random() % 2000), milliseconds(2000)};
    if (oneIn(random, 2)) options.firstSequence = 0x7FFFFFF0;
    return options;
}

struct Totals {
    std::size_t requests = 0;
    std::size_t answered = 0;
};

void converse(unsigned seed, Totals& totals) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Peer smsc(someOptions(Side::smsc, random), random);
    Peer esme(someOptions(Side::esme, random), random);
    smsc.connectTo(esme);
    esme.connectTo(smsc);
    esme.session().bind({}, Time{0});

    const bool damages = oneIn(random, 4);
    const auto steps = 200 + random() % 600;
    for (std::size_t step = 0; step < steps; ++step) {
        Peer& one = oneIn(random, 2) ? smsc : esme;
        switch (random() % 8) {
            case 0:
            case 1: one.makeRequest(); break;
            case 2:
            case 3: one.answerOne(); break;
            case 4: one.passes(milliseconds(random() % 50)); break;
            default: one.takeSome(); break;
        }
        if (damages && oneIn(random, 100)) one.damage();
        if (oneIn(random, 2000)) one.disconnects();
    }
    for (Peer* one : {&smsc, &esme}) {
        one->disconnects();
        one->expectEachRequestOnce();
        totals.requests += one->requests();
        totals.answered += one->answered();
    }
}

TEST(SmppSessionProperty, EachRequestIsAnsweredOrLostExactlyOnce) {
    Totals totals;
    for (unsigned seed = 1; seed <= 300; ++seed) converse(seed, totals);
    // The driver is worth something only if much of both happens.
    EXPECT_GT(totals.answered, 5000u);
    EXPECT_GT(totals.requests - totals.answered, 1000u);
}

}  // namespace
}  // namespace smpp
