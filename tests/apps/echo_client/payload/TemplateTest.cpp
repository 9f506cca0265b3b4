#include "echo_client/payload/Template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace load {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

std::string made(const Template& of, std::uint64_t connection = 3, std::uint64_t sequence = 7) {
    nio::Bytes bytes;
    of.append(connection, sequence, Random(1, sequence), bytes);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string madeOf(const std::string& text) {
    return made(Template::parse(text).orThrow());
}

TEST(Template, ReadsTheEscapesOfC) {
    EXPECT_EQ(madeOf("PING\\r\\n"), "PING\r\n");
    EXPECT_EQ(madeOf("\\x41\\101\\0\\\\\\e"), std::string("AA\0\\\x1b", 5));
    EXPECT_EQ(madeOf("a\\@b"), "a@b");
    EXPECT_EQ(madeOf("\\xff"), "\xff");
}

TEST(Template, FillsItsPlacesAndLeavesOtherBraces) {
    EXPECT_EQ(madeOf("{conn}/{seq}"), "3/7");
    EXPECT_EQ(madeOf("{\"a\": {seq}}"), "{\"a\": 7}");
    EXPECT_EQ(madeOf("\\{seq}"), "{seq}");
    EXPECT_EQ(madeOf("{other}{seq {"), "{other}{seq {");
    EXPECT_EQ(madeOf("{random:1k}").size(), 1000u);
}

TEST(Template, DrawsRandomLettersThatTheSeedRepeats) {
    const Template random = Template::parse("<{random:8}>").orThrow();
    EXPECT_THAT(made(random), MatchesRegex("<[0-9A-Za-z]+>"));
    EXPECT_EQ(made(random).size(), 10u);
    EXPECT_EQ(made(random, 3, 7), made(random, 3, 7));
    EXPECT_NE(made(random, 3, 7), made(random, 3, 8));
}

TEST(Template, TakesAFilesBytesAsTheyAre) {
    const std::string path = testing::TempDir() + "echo-client-template";
    std::ofstream(path, std::ios::binary) << "a\\n{seq}\n{";
    EXPECT_EQ(madeOf("@" + path), "a\\n7\n{");
    std::filesystem::remove(path);
    EXPECT_THAT(Template::parse("@" + path).error().context(), HasSubstr("No such file"));
}

TEST(Template, SaysWhatItCannotRead) {
    EXPECT_THAT(Template::parse("a\\q").error().context(), HasSubstr("'\\q' is not an escape"));
    for (const char* wrong : {"", "\\", "\\x", "\\xg", "\\777"}) {
        EXPECT_FALSE(Template::parse(wrong)) << wrong;
    }
}

TEST(Template, SaysWhichPlaceOfRandomLettersIsWrong) {
    for (const char* wrong : {"{random:0}", "{random:x}", "{random:}", "{random:16777217}"}) {
        EXPECT_THAT(Template::parse(std::string("a") + wrong).error().context(),
                    HasSubstr("'" + std::string(wrong) + "'"));
    }
    EXPECT_THAT(Template::parse("{random:8").error().context(), HasSubstr("} is missing"));
}

TEST(Template, LimitsAMessageWithItsPlacesFilled) {
    EXPECT_EQ(Template::parse("{random:16Mi}").orThrow().largest(), Template::longest);
    EXPECT_EQ(Template::parse("ab{seq}").orThrow().largest(), 22u);
    for (const char* wrong : {"a{random:16Mi}", "{random:16Mi}{seq}", "{random:9Mi}{random:9Mi}"}) {
        EXPECT_THAT(Template::parse(wrong).error().context(), HasSubstr("longer than 16777216"));
    }
}

TEST(Template, CanBeWrittenDownAndReadAgain) {
    for (const char* text :
         {"PING\\r\\n", "@x\\@", "{seq}-{conn}-{random:4}", "\\{seq} {x}", "any", "\\xff\\0001"}) {
        const auto once = Template::parse(text[0] == '@' ? text + 1 : text).orThrow();
        EXPECT_EQ(madeOf(once.toString()), made(once)) << text;
    }
}

}  // namespace
}  // namespace load
