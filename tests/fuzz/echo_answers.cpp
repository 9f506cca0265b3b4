// What echo-client is answered by a server that bytes make: right answers, damaged, cut off, twice,
// late, or any bytes. What must hold, for stamped messages and for those of the pattern:
//  - where the stream is cut changes nothing: the same is counted. That holds as long as each is
//    answered once and right; and for messages of one length as long as so many bytes come for
//    each: what begins where none was expected, or has been forgotten, is known only where it is
//    seen as a whole;
//  - each message asked is accounted for at most once, and in the end none is outstanding.
//
// Input: the framing, the sizes, how many cuts, the sizes of the pieces, then what the server does.

#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "echo_client/payload/Payload.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;

constexpr int mostSteps = 60;
constexpr std::array<const char*, 5> sizeTexts{"5", "16-40", "100", "64:9,300:1", "1-4"};

// What the exchanges are made of takes longer to make than a run.
struct Stock {
    Stock(apps::Framing framing, const char* sizeText)
        : sizes(load::SizeDistribution::parse(sizeText).orThrow()), payload(framing, sizes, 1) {}
    const load::SizeDistribution sizes;
    load::Payload payload;
};

load::Payload& payloadOf(apps::Framing framing, std::size_t sizeText) {
    static std::array<std::array<std::unique_ptr<Stock>, sizeTexts.size()>, 2> all;
    auto& stock = all[framing == apps::Framing::raw ? 0 : 1][sizeText];
    if (!stock) stock = std::make_unique<Stock>(framing, sizeTexts[sizeText]);
    return stock->payload;
}

// One connection. Message number n is sent n microseconds after the start.
class Talk {
  public:
    Talk(apps::Framing framing, std::size_t sizeText)
        : exchange(payloadOf(framing, sizeText).newExchange(3, 0, tally_)) {}

    static nio::TimePoint sentAt(std::size_t message) {
        return nio::TimePoint(std::chrono::hours(1) + std::chrono::microseconds(message));
    }
    const nio::Bytes& ask() {
        const nio::TimePoint at = sentAt(asked.size());
        asked.push_back(nio::copyOf(exchange->ask(at, at)));
        return asked.back();
    }
    bool answer(nio::ByteView bytes) { return exchange->answer(bytes, sentAt(1'000'000)); }
    bool answerPacket(nio::ByteView bytes) {
        return exchange->answerPacket(bytes, sentAt(1'000'000));
    }
    void check() const {
        require(exchange->outstanding() + tally_.figures().answered <= asked.size(),
                "each is accounted for once");
    }
    // By kind.
    std::string counts() const {
        const load::LoadErrors& errors = tally_.figures().errors;
        std::string text = "answered " + std::to_string(tally_.figures().answered);
        for (const auto& [kind, count] :
             {std::pair("lost", errors.lost), std::pair("duplicated", errors.duplicated),
              std::pair("reordered", errors.reordered), std::pair("corrupted", errors.corrupted),
              std::pair("timed out", errors.timedOut)}) {
            text += std::string(", ") + kind + " " + std::to_string(count);
        }
        return text;
    }

  private:
    mutable load::Tally tally_{false};

  public:
    const std::unique_ptr<load::Exchange> exchange;
    std::vector<nio::Bytes> asked;
};

// One stream, which is cut in its own way.
class Side {
  public:
    Side(std::size_t sizeText, std::string_view cuts)
        : talk(apps::Framing::raw, sizeText), cuts_(cuts) {}

    void arrive(nio::ByteView bytes) {
        const nio::Bytes all = nio::copyOf(bytes);
        for (nio::ByteView rest = all; !rest.empty() && isFine_;) {
            const nio::Bytes piece = nio::copyOf(rest.first(std::min(rest.size(), nextSize())));
            isFine_ = talk.answer(piece);
            rest = rest.subspan(piece.size());
        }
    }
    bool isFine() const { return isFine_; }

    Talk talk;
    std::size_t next = 0;  // to be answered; SIZE_MAX: not in this order any more
    std::size_t said = 0;  // bytes

  private:
    std::size_t nextSize() {
        if (cuts_.empty()) return SIZE_MAX;
        return 1 + static_cast<unsigned char>(cuts_[next_++ % cuts_.size()]) % 200;
    }

    const std::string_view cuts_;
    std::size_t next_ = 0;
    bool isFine_ = true;
};

nio::Bytes damaged(nio::Bytes message, std::size_t place, std::uint8_t by) {
    if (!message.empty()) message[place % message.size()] ^= static_cast<nio::Byte>(by);
    return message;
}

// What the server says; the same to both. `next`: the first that is not answered yet.
nio::Bytes said(fuzz::FuzzInput& input, const std::vector<nio::Bytes>& asked, std::size_t& next) {
    const std::size_t what = input.upTo(7);
    if (what > 3) return next < asked.size() ? asked[next++] : nio::Bytes();
    next = SIZE_MAX;
    if (what == 0) return nio::copyOf(nio::asBytes(input.take(input.byte())));
    if (asked.empty()) return {};
    const nio::Bytes& message = asked[input.byte() % asked.size()];
    if (what == 1) {
        const std::size_t place = input.byte();
        return damaged(message, place, input.byte());
    }
    if (what == 2) return nio::copyOf(nio::ByteView(message).first(input.byte() % message.size()));
    return message;
}

void step(fuzz::FuzzInput& input, Side& whole, Side& pieces) {
    const std::size_t what = input.upTo(7);
    if (what < 3) {
        const nio::Bytes& one = whole.talk.ask();
        require(one == pieces.talk.ask(), "both ask the same");
        return;
    }
    if (what == 3) {
        const auto limit = Talk::sentAt(input.byte());
        whole.talk.exchange->expire(limit);
        return pieces.talk.exchange->expire(limit);
    }
    const nio::Bytes bytes = said(input, whole.talk.asked, whole.next);
    whole.said += bytes.size();
    whole.arrive(bytes);
    pieces.arrive(bytes);
}

// Messages of one length: all that was said is a number of those. What left that grid may come back
// to it: hence in each step.
struct Grid {
    explicit Grid(const load::SizeDistribution& sizes)
        : bytes(sizes.isFixed() ? sizes.smallest() : 0) {}
    bool holds(std::size_t said) {
        isKept = isKept && bytes > 0 && said % bytes == 0;
        return isKept;
    }
    const std::size_t bytes;
    bool isKept = true;
};

void check(const Side& whole, const Side& pieces, Grid& grid) {
    for (const Side* side : {&whole, &pieces}) side->talk.check();
    if (!grid.holds(whole.said) && whole.next == SIZE_MAX) return;
    require(whole.isFine() == pieces.isFine(), "of use or not");
    const std::string counts = whole.talk.counts();
    require(counts == pieces.talk.counts(),
            "the same is counted: " + counts + " and " + pieces.talk.counts());
    require(whole.talk.exchange->outstanding() == pieces.talk.exchange->outstanding(),
            "as many are outstanding");
}

void packets(fuzz::FuzzInput input, std::size_t sizeText) {
    Talk talk(apps::Framing::length, sizeText);
    bool isFine = true;
    std::size_t next = 0;
    for (int steps = 0; steps < mostSteps && !input.isEmpty() && isFine; ++steps) {
        if (input.upTo(1) == 0) {
            talk.ask();
        } else {
            isFine = talk.answerPacket(said(input, talk.asked, next));
        }
        talk.check();
    }
    talk.exchange->end(false);
    require(talk.exchange->outstanding() == 0, "in the end none is outstanding");
}

void stream(fuzz::FuzzInput input, std::size_t sizeText) {
    const std::string_view cuts = input.take(1 + input.upTo(6));
    Side whole(sizeText, {});
    Side pieces(sizeText, cuts);
    Grid grid(load::SizeDistribution::parse(sizeTexts[sizeText]).orThrow());
    for (int steps = 0; steps < mostSteps && !input.isEmpty(); ++steps) {
        step(input, whole, pieces);
        check(whole, pieces, grid);
    }
    for (Side* side : {&whole, &pieces}) side->talk.exchange->end(false);
    check(whole, pieces, grid);
    for (const Side* side : {&whole, &pieces}) {
        require(side->talk.exchange->outstanding() == 0, "in the end none is outstanding");
    }
}

void run(fuzz::FuzzInput input) {
    const bool inPackets = input.upTo(3) == 0;
    const std::size_t sizeText = input.upTo(sizeTexts.size() - 1);
    inPackets ? packets(input, sizeText) : stream(input, sizeText);
}

const fuzz::FuzzTarget target("echo_answers", run);

}  // namespace
