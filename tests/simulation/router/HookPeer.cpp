#include "simulation/router/HookPeer.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "common/Digest.h"

namespace simulation {

using nlohmann::json;
using Hook = RouterScenario::Hook;

namespace {

constexpr std::size_t mostMoods = 12;
constexpr std::size_t longestBody = 2000;  // more than the router reads
constexpr std::size_t longestRead = 1000;
// Time passes a little also while others work.
constexpr std::chrono::seconds patience{1};

Listener* listen(std::size_t account, Hook kind, Machine& machine) {
    if (kind == Hook::absent) return nullptr;
    Listener& listener = machine.listenOutside(RouterScenario::hookAddress(account), 64);
    listener.isSilent = kind == Hook::lost;
    return &listener;
}

std::string answerOf(int status, const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) + " Word\r\nLocation: http://127.0.0.1:1/\r\n" +
           (status == 204 ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") +
           "\r\n" + (status == 204 ? "" : body);
}

// It ends before its status, or in its body: with a whole status line libcurl may take it for an
// answer, and the router may do so, too.
std::string beginOfAnswer(Random& random) {
    const std::size_t missing = random.between(1, longestRead);
    const std::string all = answerOf(200, std::string(longestRead, 'x'));
    constexpr std::string_view beforeStatus = "HTTP/1.1 ";
    return all.substr(
        0, random.chance(500) ? random.below(beforeStatus.size() + 1) : all.size() - missing);
}

std::string textIn(const json& event, const char* name) {
    const auto found = event.find(name);
    return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

HookPeer::HookPeer(std::size_t account, Ledger& ledger)
    : account_(account),
      ledger_(ledger),
      random_(ledger.scenario.seed * 32'452'843 + account),
      kind_(ledger.scenario.hookOf(account)),
      listener_(listen(account, kind_, ledger.machine())),
      moods_(kind_ == Hook::moody ? random_.anySize(mostMoods) : 0) {}

void HookPeer::step(bool eager) {
    while (listener_ != nullptr && !listener_->waiting.empty()) {
        auto connection = std::move(listener_->waiting.front());
        listener_->waiting.pop_front();
        links_.push_back({connection, HttpWire(ledger_.machine(), connection, Side::server)});
        ledger_.machine().countProgress();
    }
    for (Link& link : links_) step(link, eager);
    std::erase_if(links_, [](const Link& link) { return link.wire.isOver(); });
}

void HookPeer::step(Link& link, bool eager) {
    if (link.answersAt && *link.answersAt <= ledger_.machine().now()) {
        link.wire.send(nio::asBytes(link.answer));
        link.answersAt.reset();
        ledger_.machine().countProgress();
    }
    link.wire.pump(random_, eager);
    if (moods_ > 0 && link.wire.isInside() && random_.chance(20)) {
        --moods_;
        return link.wire.close(true);
    }
    if (const auto post = link.wire.next()) arrived(link, *post);
    if (link.goes && !link.answersAt && link.wire.hasSentAll()) link.wire.close(false);
    if (link.wire.isOver()) link.wire.close(false);
}

std::optional<nio::TimePoint> HookPeer::wakesAt() const {
    std::optional<nio::TimePoint> next;
    for (const Link& link : links_) {
        if (link.answersAt) next = next ? std::min(*next, *link.answersAt) : link.answersAt;
    }
    return next;
}

// --- what it hears --------------------------------------------------------------------------

void HookPeer::arrived(Link& link, const HttpText& post) {
    ++posts_;
    if (!post.head.starts_with("POST /hook HTTP/1.1\r\n")) return fail("got " + post.head);
    checkSignature(post);
    const json event = json::parse(post.body, nullptr, false);
    if (!event.is_object()) return fail("got " + post.body);
    const std::string delivery = textIn(event, "delivery");
    const auto before = taken_.find(delivery);
    const bool wasTaken = before != taken_.end();
    const bool mayRepeat = !wasTaken || !before->second->excuse().empty() ||
                           ledger_.scheduler.clockHasJumped() ||
                           ledger_.mayLackAccount(account_, 0);
    if (!mayRepeat) return fail("got again what it had taken: " + post.body);
    const Mood mood = drawMood();
    const bool isTaken = mood <= Mood::isSlow;
    if (isTaken) taken_[delivery] = link.connection;
    const bool isNew = isTaken && !wasTaken;
    const bool isReceipt = textIn(event, "event") == "receipt";
    isReceipt ? receiptArrived(event, isNew) : originalArrived(event, isNew);
    answer(link, mood);
}

void HookPeer::checkSignature(const HttpText& post) {
    const std::string header(post.header("Sms-Router-Signature"));
    const std::string time = header.substr(header.find('=') + 1, header.find(',') - 2);
    const std::string wanted =
        apps::keyedDigest(RouterScenario::secretOf(account_), time + "." + post.body);
    if (header != "t=" + time + ",v1=" + wanted) fail("got a signature that is wrong: " + header);
    using std::chrono::system_clock;
    std::int64_t seconds = 0;
    std::from_chars(time.data(), time.data() + time.size(), seconds);
    const std::int64_t age = system_clock::to_time_t(system_clock::now()) - seconds;
    const bool isOld = age > 2 * RouterScenario::hookTimeout / std::chrono::seconds(1);
    if (age < 0 || (isOld && !ledger_.scheduler.clockHasJumped())) {
        fail("got the signature of another time: " + header);
    }
}

void HookPeer::receiptArrived(const json& event, bool isTaken) {
    const std::string to = textIn(event, "to");
    const SentMessage* message = ledger_.goingTo(to);
    const bool fits = message != nullptr && message->esme == account_ &&
                      textIn(event, "from") == "1" + std::to_string(account_) &&
                      textIn(event, "state") == "delivered";
    if (!fits) return fail("got a receipt that is not as it was sent: " + event.dump());
    PostedReceipt& posted = ledger_.posted[textIn(event, "id")];
    const std::string delivery = textIn(event, "delivery");
    if (posted.delivery.empty()) {
        posted = {account_, delivery, to};
        if (kind_ == Hook::good) checkPatience(to);
    }
    if (posted.delivery != delivery) fail("got a receipt twice: " + event.dump());
    if (isTaken) ++posted.taken;
}

// Others do not answer for seconds; one that takes all is not to feel it.
void HookPeer::checkPatience(const std::string& to) {
    // By another connector than its message's answer it may come too early, and is held.
    const bool mayBeHeld = ledger_.scenario.isOneSmsc;
    const bool isCalm = ledger_.machine().faults().struck().empty() && !mayBeHeld &&
                        !ledger_.mayLackAccount(account_, 0);
    nio::TimePoint sent{};
    for (const auto& [name, message] : ledger_.messages) {
        if (message.number != to) continue;
        for (const SentReceipt& receipt : message.receipts) sent = std::max(sent, receipt.sentAt);
    }
    const auto waited = ledger_.machine().now() - sent;
    if (isCalm && waited > patience) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
        fail("got a receipt " + std::to_string(ms) + " ms late");
    }
}

void HookPeer::originalArrived(const json& event, bool isTaken) {
    const std::string text = textIn(event, "text");
    const auto found = ledger_.originated.find(text);
    const bool fits = found != ledger_.originated.end() && found->second.esme == account_ &&
                      textIn(event, "from") == "41790000" &&
                      textIn(event, "to") == RouterScenario::numberOf(account_);
    if (!fits) return fail("got a message that is not as it was sent: " + event.dump());
    if (isTaken) ++found->second.delivered;
}

// --- what it says ---------------------------------------------------------------------------

HookPeer::Mood HookPeer::drawMood() {
    if (kind_ == Hook::silent) return Mood::isSilent;
    if (moods_ == 0) return Mood::takes;
    --moods_;
    return static_cast<Mood>(random_.below(static_cast<std::size_t>(Mood::resets) + 1));
}

void HookPeer::answer(Link& link, Mood mood) {
    constexpr std::array good{200, 202, 204};
    constexpr std::array bad{500, 302, 404, 503, 429};
    if (mood == Mood::isSilent) return;
    if (mood == Mood::resets) return link.wire.close(true);
    const int status =
        mood == Mood::refuses ? bad[random_.below(bad.size())] : good[random_.below(good.size())];
    link.answer = answerOf(status, std::string(random_.anySize(longestBody), 'x'));
    link.goes = mood == Mood::takesAndGoes || mood == Mood::stops;
    if (mood == Mood::stops) link.answer = beginOfAnswer(random_);
    const auto half = static_cast<std::size_t>(RouterScenario::hookTimeout.count() / 2);
    const std::size_t delay = mood == Mood::isSlow      ? random_.below(half)
                              : mood == Mood::isTooLate ? 3 * half
                                                        : 0;
    link.answersAt = ledger_.machine().now() + std::chrono::milliseconds(delay);
}

std::string HookPeer::toString() const {
    return "webhook of " + RouterScenario::nameOf(account_) + " (kind " +
           std::to_string(static_cast<int>(kind_)) + ", " + std::to_string(links_.size()) +
           " links, " + std::to_string(posts_) + " posts)";
}

}  // namespace simulation
