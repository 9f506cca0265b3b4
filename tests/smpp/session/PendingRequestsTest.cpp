#include "SessionTesting.h"

#include <algorithm>
#include <deque>
#include <random>

#include <smpp/session/PendingRequests.h>

namespace smpp {
namespace {

using namespace std::chrono_literals;

PendingRequest numbered(std::uint32_t sequence) {
    return {sequence, Command::submitSm, Cookie{sequence} * 10, std::chrono::nanoseconds(sequence)};
}

TEST(PendingRequests, HasNothingAtFirst) {
    PendingRequests pending;
    EXPECT_TRUE(pending.empty());
    EXPECT_EQ(pending.size(), 0u);
    EXPECT_EQ(pending.oldest(), nullptr);
    EXPECT_FALSE(pending.takeOldest());
    EXPECT_FALSE(pending.take(1));
    EXPECT_FALSE(pending.take(0));
    EXPECT_FALSE(pending.contains(1));
}

TEST(PendingRequests, GivesBackWhatWasAddedOnce) {
    PendingRequests pending;
    pending.add({7, Command::dataSm, 70, 3s});
    EXPECT_TRUE(pending.contains(7));
    EXPECT_FALSE(pending.contains(8));

    const std::optional<PendingRequest> taken = pending.take(7);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->sequence, 7u);
    EXPECT_EQ(taken->command, Command::dataSm);
    EXPECT_EQ(taken->cookie, 70u);
    EXPECT_EQ(taken->deadline, 3s);
    EXPECT_FALSE(pending.take(7));
    EXPECT_TRUE(pending.empty());
}

TEST(PendingRequests, KeepsTheOrderOfSendingWhateverTheNumbersAre) {
    PendingRequests pending;
    const std::vector<std::uint32_t> order{5, 0x7FFFFFFF, 1, 900, 2, 17, 25, 33, 41, 3};
    for (std::uint32_t sequence : order) pending.add(numbered(sequence));
    for (std::uint32_t sequence : order) {
        ASSERT_NE(pending.oldest(), nullptr);
        EXPECT_EQ(pending.oldest()->sequence, sequence);
        EXPECT_EQ(pending.takeOldest()->sequence, sequence);
    }
    EXPECT_TRUE(pending.empty());
}

TEST(PendingRequests, KeepsTheOrderWhenSomeInTheMiddleAreTaken) {
    PendingRequests pending;
    for (std::uint32_t sequence = 1; sequence <= 100; ++sequence) pending.add(numbered(sequence));
    for (std::uint32_t sequence = 3; sequence <= 100; sequence += 3) pending.take(sequence);
    for (std::uint32_t sequence = 1; sequence <= 100; ++sequence) {
        if (sequence % 3 == 0) continue;
        EXPECT_EQ(pending.takeOldest()->sequence, sequence);
    }
    EXPECT_TRUE(pending.empty());
}

TEST(PendingRequests, HoldsAWindowOfAHundredThousandWhileTheNumbersGoOn) {
    constexpr std::uint32_t window = 100'000;
    PendingRequests pending;
    for (std::uint32_t sequence = 1; sequence <= window; ++sequence)
        pending.add(numbered(sequence));
    for (std::uint32_t sequence = 1; sequence <= 3 * window; ++sequence) {
        ASSERT_EQ(pending.take(sequence)->cookie, Cookie{sequence} * 10);
        pending.add(numbered(sequence + window));
    }
    EXPECT_EQ(pending.size(), window);
    EXPECT_EQ(pending.oldest()->sequence, 3 * window + 1);
}

// The same calls on a list that looks at everything.
TEST(PendingRequests, DoesWhatAPlainListDoes) {
    std::mt19937 random(20);
    PendingRequests pending;
    std::deque<std::uint32_t> list;
    for (int step = 0; step < 200'000; ++step) {
        const auto sequence = static_cast<std::uint32_t>(1 + random() % 300);
        const auto place = std::find(list.begin(), list.end(), sequence);
        ASSERT_EQ(pending.contains(sequence), place != list.end());
        if (place != list.end() && random() % 2 == 0) {
            list.erase(place);
            ASSERT_EQ(pending.take(sequence)->cookie, Cookie{sequence} * 10);
        } else if (place == list.end() && random() % 8 != 0) {
            list.push_back(sequence);
            pending.add(numbered(sequence));
        } else if (!list.empty()) {
            ASSERT_EQ(pending.takeOldest()->sequence, list.front());
            list.pop_front();
        }
        ASSERT_EQ(pending.size(), list.size());
        ASSERT_TRUE(list.empty() || pending.oldest()->sequence == list.front());
    }
}

}  // namespace
}  // namespace smpp
