#include <nio/channel/ChunkPool.h>

#include <gtest/gtest.h>

#include <vector>

namespace nio {
namespace {

TEST(ChunkPool, GivesAnEmptyChunkThatIsLargeEnough) {
    ChunkPool pool;
    for (const std::size_t bytes :
         {std::size_t{1}, ChunkPool::chunkBytes, ChunkPool::chunkBytes + 1}) {
        Chunk* chunk = pool.take(bytes);
        EXPECT_GE(chunk->room(), bytes);
        EXPECT_EQ(chunk->begin, 0u);
        EXPECT_EQ(chunk->end, 0u);
        EXPECT_EQ(chunk->next, nullptr);
        pool.giveBack(chunk);
    }
}

TEST(ChunkPool, GivesAChunkThatCameBackAgainAndEmpty) {
    ChunkPool pool;
    Chunk* chunk = pool.take(1);
    chunk->begin = 3;
    chunk->end = 5;
    pool.giveBack(chunk);
    EXPECT_EQ(pool.kept(), 1u);
    Chunk* again = pool.take(1);
    EXPECT_EQ(again, chunk);
    EXPECT_EQ(again->room(), ChunkPool::chunkBytes);
    EXPECT_EQ(pool.kept(), 0u);
    pool.giveBack(again);
}

TEST(ChunkPool, DoesNotKeepLargeChunks) {
    ChunkPool pool;
    pool.giveBack(pool.take(ChunkPool::chunkBytes + 1));
    EXPECT_EQ(pool.kept(), 0u);
}

TEST(ChunkPool, GivesALargeChunkAlsoWhenItHasSmallOnes) {
    ChunkPool pool;
    pool.giveBack(pool.take(1));
    Chunk* large = pool.take(ChunkPool::chunkBytes + 1);
    EXPECT_GT(large->room(), ChunkPool::chunkBytes);
    EXPECT_EQ(pool.kept(), 1u);
    pool.giveBack(large);
}

TEST(ChunkPool, KeepsNoMoreThanItsMaximum) {
    ChunkPool pool;
    std::vector<Chunk*> taken;
    for (std::size_t i = 0; i < ChunkPool::maximumKept + 5; ++i) taken.push_back(pool.take(1));
    for (Chunk* chunk : taken) pool.giveBack(chunk);
    EXPECT_EQ(pool.kept(), ChunkPool::maximumKept);
}

}  // namespace
}  // namespace nio
