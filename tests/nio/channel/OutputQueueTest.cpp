#include <nio/channel/OutputQueue.h>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include <nio/channel/ChunkPool.h>

#include "support/FailingMemory.h"

namespace nio {
namespace {

class OutputQueueTest : public testing::Test {
  protected:
    static std::string contentOf(const OutputQueue& queue, std::size_t pieces = 1024) {
        std::vector<iovec> room(pieces);
        std::string text;
        for (const iovec& piece : queue.front(room)) {
            text.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
        }
        return text;
    }
    static std::string numbered(std::size_t bytes, std::size_t from = 0) {
        std::string text(bytes, ' ');
        for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>((from + i) % 251);
        return text;
    }
    void append(const std::string& text) { queue_.append(asBytes(text), pool_); }

    ChunkPool pool_;
    OutputQueue queue_;
};

TEST_F(OutputQueueTest, WhatIsPutInFrontOfNothingIsAllThereIs) {
    queue_.prepend(asBytes("first"), pool_);
    append(" second");
    EXPECT_EQ(contentOf(queue_), "first second");
    queue_.prepend({}, pool_);
    EXPECT_EQ(contentOf(queue_), "first second");
    queue_.consume(12, pool_);
    EXPECT_TRUE(queue_.empty());
}

TEST_F(OutputQueueTest, IsEmptyAtFirst) {
    EXPECT_TRUE(queue_.empty());
    EXPECT_EQ(contentOf(queue_), "");
    append("");
    EXPECT_TRUE(queue_.empty());
    EXPECT_EQ(pool_.kept(), 0u);
}

TEST_F(OutputQueueTest, WithoutMemoryForAllOfItNothingIsAppended) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    append("one ");
    const std::string more = numbered(2 * ChunkPool::chunkBytes);
    {
        const auto noMemory = support::FailingMemory::nth(0);
        EXPECT_THROW(append(more), std::bad_alloc);
    }
    EXPECT_EQ(contentOf(queue_), "one ");
    append(more);
    EXPECT_EQ(contentOf(queue_), "one " + more);
}

TEST_F(OutputQueueTest, KeepsBytesInTheirOrder) {
    append("one ");
    append("two ");
    append("three");
    EXPECT_EQ(queue_.bytes(), 13u);
    EXPECT_EQ(contentOf(queue_), "one two three");
}

TEST_F(OutputQueueTest, DropsWhatIsConsumedAndKeepsTheRest) {
    append("abcdef");
    queue_.consume(2, pool_);
    EXPECT_EQ(contentOf(queue_), "cdef");
    append("gh");
    queue_.consume(3, pool_);
    EXPECT_EQ(contentOf(queue_), "fgh");
    queue_.consume(0, pool_);
    EXPECT_EQ(queue_.bytes(), 3u);
}

TEST_F(OutputQueueTest, CopiesWhatItIsGiven) {
    std::string text = "abc";
    append(text);
    text = "xyz";
    EXPECT_EQ(contentOf(queue_), "abc");
}

TEST_F(OutputQueueTest, HoldsNoChunkWhenItIsEmpty) {
    append("abc");
    EXPECT_EQ(pool_.kept(), 0u);
    queue_.consume(3, pool_);
    EXPECT_EQ(pool_.kept(), 1u);
    append("def");
    EXPECT_EQ(pool_.kept(), 0u) << "the same chunk is used again";
    EXPECT_EQ(contentOf(queue_), "def");
}

TEST_F(OutputQueueTest, GivesChunksBackAsTheyAreSent) {
    const std::string text = numbered(3 * ChunkPool::chunkBytes);
    for (std::size_t i = 0; i < text.size(); i += 1000) append(text.substr(i, 1000));
    queue_.consume(ChunkPool::chunkBytes - 1, pool_);
    EXPECT_EQ(pool_.kept(), 0u);
    queue_.consume(1, pool_);
    EXPECT_EQ(pool_.kept(), 1u);
    EXPECT_EQ(contentOf(queue_), text.substr(ChunkPool::chunkBytes));
}

TEST_F(OutputQueueTest, ShowsAsManyPiecesAsFit) {
    const std::string text = numbered(3 * ChunkPool::chunkBytes);
    for (std::size_t i = 0; i < text.size(); i += ChunkPool::chunkBytes) {
        append(text.substr(i, ChunkPool::chunkBytes));
    }
    EXPECT_EQ(contentOf(queue_, 2), text.substr(0, 2 * ChunkPool::chunkBytes));
    EXPECT_EQ(contentOf(queue_, 0), "");
    EXPECT_EQ(contentOf(queue_), text);
}

TEST_F(OutputQueueTest, TakesALargeAppendInOrderBehindASmallOne) {
    const std::string large = numbered(1'000'000);
    append("small");
    append(large);
    append("end");
    EXPECT_EQ(queue_.bytes(), large.size() + 8);
    EXPECT_EQ(contentOf(queue_), "small" + large + "end");
}

TEST_F(OutputQueueTest, ForgetsEverythingWhenCleared) {
    append(numbered(50'000));
    queue_.clear(&pool_);
    EXPECT_TRUE(queue_.empty());
    append("abc");
    EXPECT_EQ(contentOf(queue_), "abc");
    queue_.clear(nullptr);
    EXPECT_TRUE(queue_.empty());
}

TEST_F(OutputQueueTest, LeavesNothingBehindWhenItIsMoved) {
    append("abc");
    OutputQueue moved(std::move(queue_));
    EXPECT_EQ(contentOf(moved), "abc");
    EXPECT_TRUE(queue_.empty());
    append("new");
    EXPECT_EQ(contentOf(queue_), "new");
    EXPECT_EQ(contentOf(moved), "abc");
    moved.clear(&pool_);
}

TEST_F(OutputQueueTest, IsAStreamUnderManyAppendsAndConsumes) {
    std::mt19937 random(7);
    std::size_t appended = 0, consumed = 0;
    for (int step = 0; step < 3000; ++step) {
        const std::size_t more = random() % 9000;
        append(numbered(more, appended));
        appended += more;
        const std::size_t gone = random() % (std::min<std::size_t>(queue_.bytes(), 12'000) + 1);
        std::array<iovec, 64> room;
        const auto front = queue_.front(room);
        if (!front.empty()) {
            const auto* first = static_cast<const unsigned char*>(front[0].iov_base);
            ASSERT_EQ(*first, consumed % 251) << step;
        }
        queue_.consume(gone, pool_);
        consumed += gone;
        ASSERT_EQ(queue_.bytes(), appended - consumed);
    }
    EXPECT_EQ(contentOf(queue_), numbered(appended - consumed, consumed));
}

}  // namespace
}  // namespace nio
