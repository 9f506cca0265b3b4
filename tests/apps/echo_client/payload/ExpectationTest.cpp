#include "echo_client/payload/Expectation.h"

#include <gtest/gtest.h>

namespace load {
namespace {

using Kind = Expectation::Match::Kind;

Expectation expecting(const std::string& text) {
    return Expectation::parse(text).orThrow();
}

// The answer's length; 0: partial, -1: wrong.
int lengthIn(const Expectation& expectation, const std::string& bytes) {
    nio::Bytes exact;
    expectation.append(3, 7, Random(1, 1), exact);
    const auto match = expectation.match(nio::asBytes(bytes), exact);
    if (match.kind == Kind::wrong) return -1;
    return match.kind == Kind::whole ? static_cast<int>(match.bytes) : 0;
}

TEST(Expectation, OfATextComparesByteForByte) {
    const Expectation pong = expecting("+PONG {seq}\\r\\n");
    EXPECT_EQ(lengthIn(pong, "+PONG 7\r\n+PO"), 9);
    EXPECT_EQ(lengthIn(pong, "+PON"), 0);
    EXPECT_EQ(lengthIn(pong, "+PING"), -1);
}

TEST(Expectation, OfARegularExpressionEndsWhereItMatches) {
    const Expectation http = expecting("/HTTP.1\\.1 200 .*\\r\\n\\r\\nhello/");
    EXPECT_EQ(lengthIn(http, "HTTP/1.1 200 OK\r\nA: b\r\n\r\nhelloHTTP"), 30);
    EXPECT_EQ(lengthIn(http, "HTTP/1.1 200 OK\r\n"), 0);
    EXPECT_EQ(lengthIn(http, "xHTTP/1.1 200 OK\r\n\r\nhello"), 0) << "from the beginning only";
    EXPECT_EQ(lengthIn(expecting("/a*/"), "b"), 0) << "an answer is not empty";
}

TEST(Expectation, OfALengthADelimiterOrLinesKnowsTheEnd) {
    EXPECT_EQ(lengthIn(expecting("length:3"), "ab"), 0);
    EXPECT_EQ(lengthIn(expecting("length:3"), "abcd"), 3);
    EXPECT_EQ(lengthIn(expecting("until:\\r\\n.\\r\\n"), "a\r\n.\r"), 0);
    EXPECT_EQ(lengthIn(expecting("until:\\r\\n.\\r\\n"), "a\r\n.\r\nb"), 6);
    EXPECT_EQ(lengthIn(expecting("lines:2"), "a\nb"), 0);
    EXPECT_EQ(lengthIn(expecting("lines:2"), "a\nb\nc"), 4);
    EXPECT_EQ(lengthIn(expecting("any"), "abc"), 3);
}

TEST(Expectation, SaysWhatItCannotRead) {
    for (const char* wrong : {"", "/(/", "length:0", "length:x", "until:", "lines:", "a\\q"}) {
        EXPECT_FALSE(Expectation::parse(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace load
