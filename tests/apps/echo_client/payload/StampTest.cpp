#include "echo_client/payload/Stamp.h"

#include <gtest/gtest.h>

#include "echo_client/plan/Random.h"

namespace load {
namespace {

constexpr std::uint64_t wrap = std::uint64_t{1} << 32;

nio::Bytes stamped(StampForm form, std::size_t bytes) {
    nio::Bytes message(bytes, nio::Byte{'x'});
    writeStamp(form, 0x01020304, 0xa0b0c0d0, message);
    return message;
}

class StampOfEachForm : public testing::TestWithParam<StampForm> {
  protected:
    const StampForm form = GetParam();
    const std::size_t size = stampBytes(form);
};

INSTANTIATE_TEST_SUITE_P(Forms, StampOfEachForm,
                         testing::Values(StampForm::binary, StampForm::text));

TEST_P(StampOfEachForm, IsReadAsItWasWritten) {
    for (const std::size_t bytes : {size, size + 1, size + 1000}) {
        const nio::Bytes message = stamped(form, bytes);
        const auto stamp = readStamp(form, message);
        ASSERT_TRUE(stamp);
        EXPECT_EQ(stamp->connection, 0x01020304u);
        EXPECT_EQ(stamp->sequence, 0xa0b0c0d0u);
        EXPECT_EQ(stamp->length, bytes);
        EXPECT_TRUE(isStampOf(form, *stamp, message));
    }
}

TEST_P(StampOfEachForm, FitsNoOtherMessageThatDiffersInOneBit) {
    const nio::Bytes message = stamped(form, size + 20);
    for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
        nio::Bytes changed = message;
        changed[bit / 8] ^= static_cast<nio::Byte>(1u << bit % 8);
        const auto stamp = readStamp(form, changed);
        EXPECT_FALSE(stamp && isStampOf(form, *stamp, changed)) << bit;
    }
}

TEST_P(StampOfEachForm, FitsNoLongerAndNoShorterMessage) {
    nio::Bytes message = stamped(form, size + 20);
    const auto stamp = readStamp(form, message);
    EXPECT_FALSE(isStampOf(form, *stamp, nio::ByteView(message).first(size + 19)));
    message.push_back(nio::Byte{'x'});
    EXPECT_FALSE(isStampOf(form, *stamp, message));
}

TEST_P(StampOfEachForm, IsNoneWhereThereAreTooFewBytes) {
    const nio::Bytes message = stamped(form, size);
    EXPECT_FALSE(readStamp(form, nio::ByteView(message).first(size - 1)));
    EXPECT_FALSE(readStamp(form, {}));
}

TEST(Stamp, PutsTheHighestByteFirstAndLeavesItsOwnCrcOut) {
    nio::Bytes message = stamped(StampForm::binary, 18);
    const std::uint32_t crc = readStamp(StampForm::binary, message)->crc;
    const std::string head("\1\2\3\4\xa0\xb0\xc0\xd0\0\0\0\x12", 12);
    EXPECT_EQ(nio::asText(message).substr(0, 12), head);
    EXPECT_EQ(crc, crc32c(nio::asBytes(head + "xx")));
    EXPECT_EQ(static_cast<std::uint32_t>(message[12]), crc >> 24);
    EXPECT_EQ(static_cast<std::uint32_t>(message[15]), crc & 0xff);
}

TEST(Stamp, IsLowerCaseDigitsWhereItIsText) {
    const nio::Bytes message = stamped(StampForm::text, 34);
    EXPECT_EQ(nio::asText(message).substr(0, 24), "01020304a0b0c0d000000022");
    const auto crc = readStamp(StampForm::text, message)->crc;
    EXPECT_EQ(crc, crc32c(nio::asBytes("01020304a0b0c0d000000022xx")));
}

TEST(Stamp, IsNoneInOtherDigits) {
    for (const char digit : {'A', 'F', 'g', '/', ':', '`', ' ', '\0'}) {
        nio::Bytes message = stamped(StampForm::text, 32);
        message[11] = static_cast<nio::Byte>(digit);
        EXPECT_FALSE(readStamp(StampForm::text, message)) << digit;
    }
}

TEST(Stamp, TellsWhichOfTheSentMessagesItsSequenceMeans) {
    EXPECT_EQ(sentSequence(0, 1), 0u);
    EXPECT_EQ(sentSequence(41, 42), 41u);
    EXPECT_EQ(sentSequence(0, 42), 0u);
    EXPECT_EQ(sentSequence(0xffffffff, wrap), wrap - 1);
    EXPECT_EQ(sentSequence(0xffffffff, wrap + 2), wrap - 1);
    EXPECT_EQ(sentSequence(0, wrap + 2), wrap);
    EXPECT_EQ(sentSequence(1, wrap + 2), wrap + 1);
    EXPECT_EQ(sentSequence(5, 7 * wrap + 9), 7 * wrap + 5);
}

TEST(Stamp, KnowsASequenceThatWasNeverSent) {
    EXPECT_EQ(sentSequence(0, 0), std::nullopt);
    EXPECT_EQ(sentSequence(42, 42), std::nullopt);
    EXPECT_EQ(sentSequence(43, 42), std::nullopt);
    EXPECT_EQ(sentSequence(0xffffffff, 42), std::nullopt);
    EXPECT_EQ(sentSequence(2, wrap + 2), std::nullopt);
    EXPECT_EQ(sentSequence(1000, wrap + 2), std::nullopt);
    // Half of the numbers are behind, half ahead.
    EXPECT_EQ(sentSequence(10, wrap / 2 + 10), 10u);
    EXPECT_EQ(sentSequence(10, wrap / 2 + 11), std::nullopt);
}

// --- the checksum ---------------------------------------------------------------------------

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
