// An SmppSession between a peer and an owner that both do what bytes choose: any octets, right PDUs
// in any state, answers to what was asked, requests, binds, unbinds, time, the end; also from
// within events. What must hold:
//  - what is transmitted is one whole PDU, and nothing is after the end;
//  - each request of ours is answered or lost exactly once, and no more wait than the window;
//  - a request that is told of waits for an answer, and bindRequested() for one of its own;
//  - after a tick nothing is due any more; after the end nothing is due at all.
//
// Input: side and reading, window and timers, how the owner answers (used again and again), then
// events.

#include <map>

#include "fuzz/FuzzTarget.h"
#include "smpp/session/SessionTesting.h"

namespace {

using fuzz::require;
using smpp::Command;
using smpp::smpptest::get32;
using smpp::smpptest::validPdu;
using std::chrono::milliseconds;

constexpr int mostSteps = 200;

smpp::SessionOptions optionsOf(fuzz::FuzzInput& input) {
    smpp::SessionOptions options;
    const std::size_t kind = input.upTo(3);
    options.side = kind % 2 == 0 ? smpp::Side::smsc : smpp::Side::esme;
    options.reading = kind < 2 ? smpp::Reading::strict : smpp::Reading::tolerant;
    options.systemId = "nio";
    options.window = 1 + input.upTo(3);
    options.firstSequence = input.upTo(1) == 0 ? 1 : 0x7FFFFFFE;
    const auto timer = [&input] { return milliseconds(input.byte() * 4); };
    options.timers = {timer(), timer(), timer(), timer(), timer()};
    return options;
}

class Scene final : public smpp::SessionEvents {
  public:
    Scene(smpp::SessionOptions options, std::string_view answers)
        : window_(options.window),
          answers_(answers),
          session_(std::make_shared<const smpp::SessionOptions>(std::move(options)), *this, now_) {}

    void step(fuzz::FuzzInput& input) {
        switch (input.upTo(15)) {
            case 0: return arrive(input.take(input.byte()));
            case 1: return arrivePdu(validPdu(command(input.byte()), input.byte()));
            case 2: return answerOurs(smpp::Status::ok);
            case 3: return answerOurs(smpp::Status::sysErr);
            case 4: return request(command(input.byte()));
            case 5: return respond(input.byte());
            case 6: return answerBind(true);
            case 7: return answerBind(false);
            case 8: return begin();
            case 9: return session_.unbind(now_);
            case 10: return session_.holdPeer(true, now_);
            case 11: return session_.holdPeer(false, now_);
            case 12: return disconnect();
            default: return tick(milliseconds(input.byte()));
        }
    }

    void check() const {
        require(session_.outstanding() <= window_, "no more wait than the window");
        require(session_.outstanding() == waiting_, "those wait that were not told of");
        require(!isOver_ || waiting_ == 0, "none after the end");
    }

    void finish() {
        disconnect();
        check();
        require(waiting_ == 0, "each of our requests is answered or lost");
        require(session_.nextTick() == smpp::Time::max(), "nothing is due after the end");
    }

  private:
    static Command command(std::size_t index) {
        const auto& all = smpp::smpptest::allCommands();
        return all[index % all.size()];
    }

    // --- the peer ---------------------------------------------------------------------------

    void arrive(std::string_view octets) {
        if (isOver_) return;
        for (const char octet : octets) unread_.push_back(static_cast<nio::Byte>(octet));
        while (!isOver_) {
            const nio::Bytes exact = unread_;
            const smpp::Framed framed = smpp::PduFramer(1000).next(exact);
            if (framed.kind == smpp::Framed::Kind::needMore) break;
            const auto used = static_cast<std::ptrdiff_t>(framed.bytes.size());
            session_.received(framed, now_);
            unread_.erase(unread_.begin(), unread_.begin() + used);
        }
        if (!isOver_) session_.waitsForRest(unread_.size(), now_);
    }
    // Whole, whatever came before.
    void arrivePdu(const nio::Bytes& pdu) {
        unread_.clear();
        arrive(nio::asText(pdu));
    }
    // What was transmitted last, if it was a request.
    void answerOurs(smpp::Status status) {
        if (lastAsked_.empty()) return;
        const auto asked = static_cast<Command>(get32(lastAsked_, 4));
        const Command answer = smpp::responseTo(asked);
        const std::uint32_t sequence = get32(lastAsked_, 12);
        const bool isFine = status == smpp::Status::ok;
        arrivePdu(smpp::smpptest::pduOf(answer, sequence,
                                        isFine ? smpp::smpptest::bodyOf(answer) : "", status));
    }

    // --- the owner --------------------------------------------------------------------------

    void request(Command command) {
        if (smpp::isResponse(command)) return;
        nio::Bytes pdu = validPdu(command, 0);
        const bool waits = smpp::hasResponse(command);
        const smpp::Cookie cookie = nextCookie_++;
        // Before: its end may come while it is sent.
        if (waits) outcomes_[cookie] = 0, ++waiting_;
        if (session_.request(pdu, cookie, now_) != 0 || !waits) return;
        require(outcomes_.erase(cookie) == 1, "what was not sent is not told of");
        --waiting_;
    }
    void respond(std::size_t place) {
        if (toAnswer_.empty()) return;
        const auto at = toAnswer_.begin() + static_cast<std::ptrdiff_t>(place % toAnswer_.size());
        const auto [command, sequence] = *at;
        toAnswer_.erase(at);
        session_.respond(command, smpp::Status::ok, sequence);
    }
    void answerBind(bool accept) {
        if (!bindWaits_) return;
        bindWaits_ = false;
        accept ? session_.acceptBind(now_) : session_.refuseBind(smpp::Status::bindFail, now_);
    }
    void begin() {
        if (hasBegun_) return;
        hasBegun_ = true;
        if (session_.side() == smpp::Side::smsc) return session_.outbind("nio", "secret", now_);
        session_.bind({Command::bindTransceiver, "esme1", "secret1", "", 0, 0, ""}, now_);
    }
    void disconnect() {
        session_.disconnected();
        isOver_ = true;
    }
    void tick(milliseconds time) {
        now_ += time;
        session_.tick(now_);
        require(session_.nextTick() > now_, "nothing is due any more");
    }
    // From within an event.
    void answerEvent() {
        if (answers_.empty() || depth_ > 3) return;
        ++depth_;
        const auto answer = static_cast<unsigned char>(answers_[events_++ % answers_.size()]);
        switch (answer % 10) {
            case 0: request(Command::submitSm); break;
            case 1: request(Command::deliverSm); break;
            case 2: respond(answer); break;
            case 3: session_.unbind(now_); break;
            case 4: disconnect(); break;
            case 5: answerBind(true); break;
            case 6: answerBind(false); break;
            default: break;
        }
        --depth_;
    }

    // --- events -----------------------------------------------------------------------------

    void transmit(nio::ByteView octets) override {
        require(!isOver_, "nothing is sent after the end");
        const nio::Bytes exact = nio::copyOf(octets);
        const smpp::Framed framed = smpp::PduFramer().next(exact);
        require(framed.kind == smpp::Framed::Kind::pdu && framed.bytes.size() == exact.size(),
                "what is sent is one PDU");
        if (!smpp::isResponse(static_cast<Command>(get32(exact, 4)))) lastAsked_ = exact;
    }
    void bindRequested(const smpp::Pdu&) override {
        require(!isOver_ && !bindWaits_, "one bind at a time");
        bindWaits_ = true;
        answerEvent();
    }
    void bindAnswered(smpp::Status, const smpp::Pdu*) override { answerEvent(); }
    void outbindArrived(const smpp::Pdu&) override {
        require(session_.side() == smpp::Side::esme, "an SMSC is sent no outbind");
        begin();
    }
    void requestArrived(const smpp::Pdu& request) override {
        require(!isOver_, "no request after the end");
        if (smpp::hasResponse(request.command())) {
            toAnswer_.emplace_back(request.command(), request.sequence());
        }
        answerEvent();
    }
    void responseArrived(const smpp::Pdu&, smpp::Cookie cookie) override { outcome(cookie); }
    void requestLost(smpp::Cookie cookie, smpp::Lost, smpp::Status) override { outcome(cookie); }
    void ended(smpp::End) override {
        require(!isOver_, "one end");
        isOver_ = true;
        answerEvent();
    }
    void outcome(smpp::Cookie cookie) {
        const auto found = outcomes_.find(cookie);
        require(found != outcomes_.end(), "a request of ours");
        require(++found->second == 1, "answered or lost once");
        --waiting_;
        answerEvent();
    }

    const std::size_t window_;
    const std::string_view answers_;
    smpp::Time now_{0};
    nio::Bytes unread_;
    nio::Bytes lastAsked_;
    std::vector<std::pair<Command, std::uint32_t>> toAnswer_;
    std::map<smpp::Cookie, int> outcomes_;
    smpp::Cookie nextCookie_ = 1;
    std::size_t waiting_ = 0;
    std::size_t events_ = 0;
    int depth_ = 0;
    bool hasBegun_ = false;
    bool bindWaits_ = false;
    bool isOver_ = false;
    smpp::SmppSession session_;
};

void run(fuzz::FuzzInput input) {
    const smpp::SessionOptions options = optionsOf(input);
    const std::string_view answers = input.take(input.upTo(7));
    Scene scene(options, answers);
    for (int steps = 0; steps < mostSteps && !input.isEmpty(); ++steps) {
        scene.step(input);
        scene.check();
    }
    scene.finish();
}

const fuzz::FuzzTarget target("smpp_session", run);

}  // namespace
