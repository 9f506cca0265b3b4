#include "echo_client/payload/Crc32c.h"

#include <gtest/gtest.h>

#include "echo_client/plan/Random.h"

namespace load {
namespace {

// Bit by bit, as the polynomial says.
std::uint32_t slowCrc(nio::ByteView bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const nio::Byte byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

nio::Bytes bytesOf(std::initializer_list<unsigned> values) {
    nio::Bytes bytes;
    for (const unsigned value : values) bytes.push_back(static_cast<nio::Byte>(value));
    return bytes;
}

nio::Bytes randomBytes(std::size_t count) {
    Random random(1, count);
    nio::Bytes bytes(count);
    for (nio::Byte& byte : bytes) byte = static_cast<nio::Byte>(random.below(256));
    return bytes;
}

// RFC 3720, B.4, where the bytes of the CRC are listed lowest first.
TEST(Crc32c, GivesTheExamplesOfItsStandard) {
    EXPECT_EQ(crc32c(nio::Bytes(32, nio::Byte{0})), 0x8a9136aau);
    EXPECT_EQ(crc32c(nio::Bytes(32, nio::Byte{0xff})), 0x62a8ab43u);
    nio::Bytes counting(32);
    for (std::size_t i = 0; i < 32; ++i) counting[i] = static_cast<nio::Byte>(i);
    EXPECT_EQ(crc32c(counting), 0x46dd794eu);
    EXPECT_EQ(crc32c(nio::Bytes(counting.rbegin(), counting.rend())), 0x113fdb5cu);
    const nio::Bytes readCommand = bytesOf(
        {0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0,
         0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(crc32c(readCommand), 0xd9963a56u);
}

TEST(Crc32c, AgreesWithThePolynomialAtEveryLengthAndPlace) {
    const nio::Bytes bytes = randomBytes(700);
    const nio::ByteView view(bytes);
    for (std::size_t from = 0; from < 17; ++from) {
        for (std::size_t count = 0; count < 600; count += 7) {
            const nio::ByteView part = view.subspan(from, count);
            ASSERT_EQ(crc32c(part), slowCrc(part)) << from << ", " << count;
        }
    }
}

TEST(Crc32c, GoesOnFromTheCrcOfWhatWasBefore) {
    const nio::Bytes bytes = randomBytes(300);
    const nio::ByteView view(bytes);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        ASSERT_EQ(crc32c(view.subspan(cut), crc32c(view.first(cut))), crc32c(view)) << cut;
    }
}

}  // namespace
}  // namespace load
