#include "echo_client/payload/StreamTail.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace load {
namespace {

// Takes blocks of a digit and as many letters: "3abc".
struct Blocks {
    StreamTail::Progress operator()(nio::ByteView bytes) {
        const std::string_view text = nio::asText(bytes);
        std::size_t used = 0;
        while (used < text.size()) {
            const std::size_t wanted = 1 + static_cast<std::size_t>(text[used] - '0');
            if (wanted > text.size() - used) return {used, wanted};
            taken.emplace_back(text.substr(used, wanted));
            where.push_back(bytes.data() + used);
            used += wanted;
        }
        return {used, 1};
    }

    std::vector<std::string> taken;
    std::vector<const nio::Byte*> where;
};

void feed(StreamTail& tail, Blocks& blocks, std::string_view text) {
    tail.feed(nio::asBytes(text), [&blocks](nio::ByteView bytes) { return blocks(bytes); });
}

TEST(StreamTail, ShowsWhatIsWholeInItsPlace) {
    StreamTail tail;
    Blocks blocks;
    const std::string text = "2ab3abc1a4ab";
    feed(tail, blocks, text);
    EXPECT_EQ(blocks.taken, (std::vector<std::string>{"2ab", "3abc", "1a"}));
    EXPECT_EQ(blocks.where[2], nio::asBytes(text).data() + 7);
    EXPECT_EQ(tail.size(), 3u);
}

TEST(StreamTail, CopiesNoMoreThanTheOneThatIsCut) {
    StreamTail tail;
    Blocks blocks;
    const std::string text = "cd3abc9";
    feed(tail, blocks, "4ab");
    feed(tail, blocks, text);
    EXPECT_EQ(blocks.taken, (std::vector<std::string>{"4abcd", "3abc"}));
    EXPECT_EQ(blocks.where[1], nio::asBytes(text).data() + 2);
    EXPECT_EQ(tail.size(), 1u);
}

TEST(StreamTail, GivesTheSameHoweverTheStreamIsCut) {
    const std::string text = "2ab3abc09abcdefghi1a05hello";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        StreamTail tail;
        Blocks blocks;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            feed(tail, blocks, std::string_view(text).substr(at, piece));
        }
        EXPECT_EQ(blocks.taken, (std::vector<std::string>{"2ab", "3abc", "0", "9abcdefghi", "1a",
                                                          "0", "5hello"}));
        EXPECT_EQ(tail.size(), 0u);
    }
}

}  // namespace
}  // namespace load
