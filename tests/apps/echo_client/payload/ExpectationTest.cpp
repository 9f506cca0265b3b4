#include "echo_client/payload/Expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
    const auto match = expectation.match(nio::asBytes(bytes), exact, {});
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

// What is seen through is altered here: nobody looks.
TEST(Expectation, DoesNotLookAgainAtWhatItHasSeenThrough) {
    for (const auto& [text, first, all] :
         {std::tuple("abcdef", "abc", "xxxdef"), std::tuple("until:yz", "abcy", "yzcyz"),
          std::tuple("lines:3", "a\nb\n", "aabbc\n")}) {
        const Expectation expectation = expecting(text);
        nio::Bytes exact;
        expectation.append(0, 0, Random(1, 1), exact);
        const auto before = expectation.match(nio::asBytes(first), exact, {});
        EXPECT_EQ(before.kind, Kind::partial) << text;
        const auto match = expectation.match(nio::asBytes(all), exact, before);
        EXPECT_EQ(match.kind, Kind::whole) << text;
        EXPECT_EQ(match.bytes, std::string(all).size()) << text;
    }
}

TEST(Expectation, FindsADelimiterThatComesInPieces) {
    const Expectation until = expecting("until:\\r\\n.\\r\\n");
    const std::string answer = "a\r\n\r\n.\r\n";
    Expectation::Match match;
    for (std::size_t i = 1; i <= answer.size(); ++i) {
        EXPECT_EQ(match.kind, Kind::partial) << i;
        match = until.match(nio::asBytes(answer).first(i), {}, match);
    }
    EXPECT_EQ(match.kind, Kind::whole);
    EXPECT_EQ(match.bytes, answer.size());
}

TEST(Expectation, OfAFileThatReadsAsAKeywordStaysAText) {
    const std::string path = testing::TempDir() + "echo-client-expectation";
    for (const char* content : {"any", "length:3", "/a/", "@x", "lines:1", "until:a"}) {
        std::ofstream(path, std::ios::binary) << content;
        const Expectation once = expecting("@" + path);
        EXPECT_EQ(lengthIn(expecting(once.toString()), "zzzz"), -1) << content;
        EXPECT_EQ(lengthIn(expecting(once.toString()), content),
                  static_cast<int>(std::string(content).size()));
    }
    std::filesystem::remove(path);
}

TEST(Expectation, IsWrittenDownInAscii) {
    for (const char* text : {"\xc3\xa9", "until:\xc3\xa9", "/[a\xc3]+\xa9/"}) {
        const std::string written = expecting(text).toString();
        EXPECT_THAT(written, testing::Each(testing::Gt('\x1f')));
        EXPECT_EQ(lengthIn(expecting(written), "\xc3\xa9"), 2) << written;
    }
}

TEST(Expectation, RefusesARegularExpressionOfTheEmptyText) {
    for (const char* wrong : {"//", "/a*/", "/a|/"}) {
        EXPECT_THAT(Expectation::parse(wrong).error().context(), testing::HasSubstr("empty"));
    }
}

TEST(Expectation, SaysWhatItCannotRead) {
    for (const char* wrong : {"", "/(/", "length:0", "length:x", "until:", "lines:", "a\\q"}) {
        EXPECT_FALSE(Expectation::parse(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace load
