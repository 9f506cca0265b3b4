#include "common/CommandLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apps {
namespace {

using testing::EndsWith;

std::string sentenceFor(std::vector<std::string> words) {
    CLI::App app("purpose", "program");
    addVersion(app, "program");
    app.add_flag("--verbose");
    CLI::App* const command = app.add_subcommand("serve", "Serves");
    command->add_flag("--port-range");
    std::reverse(words.begin(), words.end());
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        return sentenceOf(app, error);
    }
    return "";
}

TEST(CommandLine, NamesTheOptionThatMayHaveBeenMeant) {
    EXPECT_THAT(sentenceFor({"--verbos"}), EndsWith("; did you mean --verbose?"));
    EXPECT_THAT(sentenceFor({"--vrebose=1"}), EndsWith("; did you mean --verbose?"));
    EXPECT_THAT(sentenceFor({"--colour"}), EndsWith("--colour"));
    EXPECT_THAT(sentenceFor({"word"}), EndsWith("word"));
}

TEST(CommandLine, KnowsTheOptionsOfTheSubcommand) {
    EXPECT_THAT(sentenceFor({"serve", "--port-rang"}), EndsWith("; did you mean --port-range?"));
    EXPECT_THAT(sentenceFor({"--port-rang"}), EndsWith("--port-rang"));
}

TEST(CommandLine, AnEmptyValueTakesNotTheNextWord) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--source=", "--verbose"}, {"--source", "", "--verbose"}}) {
        CLI::App app("purpose", "program");
        app.add_flag("--verbose");
        std::string source;
        app.add_option("--source", source);
        try {
            parseWords(app, words);
            ADD_FAILURE() << source;
        } catch (const CLI::ParseError& error) {
            EXPECT_STREQ(error.what(), "--source: a value must not be empty");
        }
    }
}

TEST(CommandLine, SplitsListsAndRefusesAnEmptyPart) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(splitList("--to", {"1,2", "3"}), (Words{"1", "2", "3"}));
    for (const char* const wrong : {"1,,2", "1,", ",1", ","}) {
        try {
            (void)splitList("--to", {"0", wrong});
            ADD_FAILURE() << wrong;
        } catch (const CLI::ParseError& error) {
            EXPECT_EQ(error.what(), "--to: '" + std::string(wrong) + "' has an empty part");
        }
    }
}

TEST(CommandLine, BreaksDescriptionsAtEightyColumns) {
    CLI::App app("purpose", "program");
    addVersion(app, "program");
    const std::string description = "word " + std::string(45, 'x') + "\nnext line";
    app.add_flag("--verbose", description);
    EXPECT_THAT(app.help(), testing::HasSubstr("--verbose                       word\n" +
                                               std::string(34, ' ') + std::string(45, 'x') + "\n" +
                                               std::string(34, ' ') + "next line\n"));
}

}  // namespace
}  // namespace apps
