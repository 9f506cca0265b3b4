// Servers that make one mistake of a known kind, at a random place, with random sizes, cut at
// random: it is counted as what it is, and as nothing else. And servers that make many at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "apps/echo_client/payload/Conversation.h"

namespace load {
namespace {

using Messages = std::vector<nio::Bytes>;

constexpr std::uint64_t streamSeeds = 60;
constexpr std::uint64_t packetSeeds = 25;

nio::Bytes randomBytes(Random& random, std::size_t count) {
    nio::Bytes bytes(count);
    for (nio::Byte& byte : bytes) byte = static_cast<nio::Byte>(random.below(256));
    return bytes;
}

nio::Bytes::iterator inside(nio::Bytes& bytes, std::size_t at) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(at);
}

void flip(nio::Bytes& message, Random& random) {
    message[random.below(message.size())] ^= static_cast<nio::Byte>(1 + random.below(255));
}

void dropPart(nio::Bytes& message, std::size_t longest, Random& random) {
    const std::size_t count = 1 + random.below(std::min(longest, message.size() - 1));
    const std::size_t at = random.below(message.size() - count + 1);
    message.erase(inside(message, at), inside(message, at + count));
}

void insertRubbish(nio::Bytes& message, std::size_t at, std::size_t count, Random& random) {
    const nio::Bytes rubbish = randomBytes(random, count);
    message.insert(inside(message, at), rubbish.begin(), rubbish.end());
}

// What a server does to the answers, before they are sent; `at` is neither first nor last but one.
struct Fault {
    const char* name;
    const char* counted;  // "N-1" etc. are filled in
    std::function<void(Messages&, std::size_t at, std::size_t smallest, Random&)> make;
    bool streamsOnly = false;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.name;
}

const Fault faults[] = {
    {"Nothing", "answered N", [](Messages&, std::size_t, std::size_t, Random&) {}},
    {"FlippedByte", "corrupted 1, answered N-1",
     [](Messages& all, std::size_t at, std::size_t, Random& random) { flip(all[at], random); }},
    {"FlippedByteAtTheEnd", "corrupted 1, answered N-1",
     [](Messages& all, std::size_t, std::size_t, Random& random) { flip(all.back(), random); }},
    {"Dropped", "lost 1, answered N-1",
     [](Messages& all, std::size_t at, std::size_t, Random&) {
         all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
     }},
    {"DroppedAtTheEnd", "timed out 1, answered N-1",
     [](Messages& all, std::size_t, std::size_t, Random&) { all.pop_back(); }},
    {"Repeated", "duplicated 1, answered N",
     [](Messages& all, std::size_t at, std::size_t, Random&) {
         all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), nio::Bytes(all[at]));
     }},
    {"RepeatedLater", "duplicated 1, answered N",
     [](Messages& all, std::size_t at, std::size_t, Random& random) {
         const std::size_t to = at + 1 + random.below(all.size() - at);
         all.insert(all.begin() + static_cast<std::ptrdiff_t>(to), nio::Bytes(all[at]));
     }},
    {"Swapped", "reordered 1, answered N",
     [](Messages& all, std::size_t at, std::size_t, Random&) { std::swap(all[at], all[at + 1]); }},
    {"Delayed", "reordered 1, answered N",
     [](Messages& all, std::size_t at, std::size_t, Random& random) {
         const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
         const auto steps = 1 + random.below(all.size() - at - 1);
         std::rotate(from, from + 1, from + 1 + static_cast<std::ptrdiff_t>(steps));
     }},
    // Its end may be all that says so: enough must follow.
    {"DroppedPart", "corrupted 1, answered N-1",
     [](Messages& all, std::size_t at, std::size_t smallest, Random& random) {
         dropPart(all[at], smallest, random);
     }},
    {"RubbishBetween", "corrupted 1, answered N",
     [](Messages& all, std::size_t at, std::size_t smallest, Random& random) {
         insertRubbish(all[at], 0, 1 + random.below(smallest - 16), random);
     },
     true},
    {"RubbishInside", "corrupted 1, answered N-1",
     [](Messages& all, std::size_t at, std::size_t smallest, Random& random) {
         const std::size_t where = 1 + random.below(all[at].size() - 1);
         insertRubbish(all[at], where, 1 + random.below(smallest - 16), random);
     },
     true},
    {"RubbishAsAPacket", "corrupted 1, answered N",
     [](Messages& all, std::size_t at, std::size_t smallest, Random& random) {
         all.insert(all.begin() + static_cast<std::ptrdiff_t>(at),
                    randomBytes(random, 1 + random.below(smallest - 16)));
     }},
    {"BeginningTwice", "corrupted 1, answered N",
     [](Messages& all, std::size_t at, std::size_t smallest, Random& random) {
         const std::size_t count = std::min(all[at].size(), 1 + random.below(smallest - 16));
         const nio::Bytes beginning(all[at].begin(), inside(all[at], count));
         all[at].insert(all[at].begin(), beginning.begin(), beginning.end());
     },
     true},
};

std::string filledIn(std::string text, std::size_t count) {
    const std::size_t less = text.find("N-1");
    if (less != std::string::npos) return text.replace(less, 3, std::to_string(count - 1));
    return text.replace(text.find('N'), 1, std::to_string(count));
}

void feedChopped(Conversation& talk, const nio::Bytes& all, Random& random) {
    const std::size_t longest = std::size_t{1} << random.below(17);
    for (nio::ByteView rest(all); !rest.empty();) {
        const std::size_t count = std::min<std::size_t>(rest.size(), 1 + random.below(longest));
        // Of its own, so that a look beyond its end is noticed.
        const nio::Bytes piece(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
        if (!talk.answer(piece)) return;
        rest = rest.subspan(count);
    }
}

void feed(Conversation& talk, apps::Framing framing, const Messages& answers, Random& random) {
    if (framing == apps::Framing::raw) return feedChopped(talk, joined(answers), random);
    for (const nio::Bytes& each : answers) ASSERT_TRUE(talk.answerPacket(each));
}

const char* const sizeTexts[] = {"64", "40", "40-80", "33-4096", "64:70,1500:30", "100-9000"};

class StampedFaults : public testing::TestWithParam<Fault> {
  protected:
    void run(apps::Framing framing, std::uint64_t seed) {
        Random random(seed, 0);
        const std::string sizes = sizeTexts[random.below(std::size(sizeTexts))];
        Conversation talk(framing, sizes, seed);
        const std::size_t count = 4 + random.below(seed % 20 == 7 ? 1000 : 40);
        talk.ask(count);
        Messages answers = talk.messages;
        const std::size_t at = 1 + random.below(count - 3);
        GetParam().make(answers, at, talk.sizes.smallest(), random);
        feed(talk, framing, answers, random);
        talk.exchange->end(false);
        ASSERT_EQ(talk.counts(), filledIn(GetParam().counted, count))
            << "seed " << seed << ", " << sizes << ", message " << at << " of " << count << "\n"
            << talk.errors().wrongAnswerExample;
        ASSERT_EQ(talk.exchange->outstanding(), 0u);
    }
};

INSTANTIATE_TEST_SUITE_P(Kinds, StampedFaults, testing::ValuesIn(faults),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(StampedFaults, AreCountedAsWhatTheyAreInAStream) {
    for (std::uint64_t seed = 0; seed < streamSeeds; ++seed) {
        run(apps::Framing::raw, seed);
        if (HasFatalFailure()) return;
    }
}

TEST_P(StampedFaults, AreCountedAsWhatTheyAreInPackets) {
    if (GetParam().streamsOnly) return;
    for (std::uint64_t seed = 0; seed < packetSeeds; ++seed) {
        run(apps::Framing::length, seed);
        run(apps::Framing::lines, seed);
        if (HasFatalFailure()) return;
    }
}

// --- many at once -----------------------------------------------------------------------------

void makeAnyFault(Messages& answers, Random& random) {
    if (answers.size() < 4) return;
    const Fault& fault = faults[random.below(std::size(faults))];
    const std::size_t at = random.below(answers.size() - 2);
    // They want something to work on.
    for (const nio::Bytes& each : answers) {
        if (each.size() < 2) return;
    }
    fault.make(answers, at, 33, random);
}

// Each message has one fate at most, or its place was taken by something corrupted.
void expectEachCountedOnce(Conversation& talk) {
    const LoadErrors& errors = talk.errors();
    const std::size_t known = talk.answered() + errors.lost;
    ASSERT_LE(known, talk.messages.size());
    ASSERT_LE(talk.messages.size(), known + errors.timedOut + errors.corrupted);
    ASSERT_EQ(talk.exchange->outstanding(), 0u);
}

void runManyFaults(apps::Framing framing, std::uint64_t seed) {
    Random random(seed, 1);
    Conversation talk(framing, sizeTexts[random.below(std::size(sizeTexts))], seed);
    for (int round = 0; round < 5; ++round) {
        const std::size_t first = talk.messages.size();
        talk.ask(4 + random.below(60));
        Messages answers(talk.messages.begin() + static_cast<std::ptrdiff_t>(first),
                         talk.messages.end());
        for (std::uint64_t i = random.below(30); i > 0; --i) makeAnyFault(answers, random);
        feed(talk, framing, answers, random);
        if (random.below(2) == 0) {
            talk.exchange->expire(talk.sentAt(random.below(talk.messages.size())));
        }
    }
    // What comes right at last is understood again.
    talk.exchange->expire(talk.now);
    const std::uint64_t before = talk.answered();
    for (int i = 0; i < 10; ++i) feed(talk, framing, {talk.ask()}, random);
    ASSERT_GE(talk.answered(), before + 8) << seed;
    talk.exchange->end(false);
    expectEachCountedOnce(talk);
}

TEST(ManyStampedFaults, DoNotConfuseAStreamForLong) {
    for (std::uint64_t seed = 0; seed < streamSeeds; ++seed)
        runManyFaults(apps::Framing::raw, seed);
}

TEST(ManyStampedFaults, DoNotConfusePackets) {
    for (std::uint64_t seed = 0; seed < packetSeeds; ++seed) {
        runManyFaults(apps::Framing::length, seed);
        runManyFaults(apps::Framing::lines, seed);
    }
}

TEST(ManyStampedFaults, OfStampsAndNothingElseAreEachCountedOnce) {
    Conversation talk(apps::Framing::raw, "16-60000");
    talk.ask(500);
    nio::Bytes stamps;
    for (std::size_t i = 0; i < 60'000; ++i) {
        const nio::Bytes& from = talk.messages[i % 500];
        stamps.insert(stamps.end(), from.begin(), from.begin() + 12);
    }
    talk.answer(stamps);
    talk.exchange->end(false);
    expectEachCountedOnce(talk);
}

}  // namespace
}  // namespace load
