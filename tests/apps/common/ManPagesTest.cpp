// The manual pages and --help know the same options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

#include "echo_client/report/JsonLines.h"
#include "echo_client/report/LoadReport.h"
#include "support/Process.h"
#include "support/ProjectFile.h"

namespace apps {
namespace {

using Lines = std::vector<std::string>;
using Names = std::set<std::string>;
using testing::AnyOf;
using testing::HasSubstr;

Lines linesOf(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool isOfName(char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
}

// --some-option, wherever it stands in the line.
void addOptions(const std::string& line, Names& names) {
    for (std::size_t i = line.find("--"); i != std::string::npos; i = line.find("--", i)) {
        const std::size_t begin = i;
        while (i < line.size() && isOfName(line[i])) ++i;
        if (i > begin + 2) names.insert(line.substr(begin, i - begin));
    }
}

// "  --rate RATE ..." or "  -h,--help ...".
bool explains(const std::string& lineOfHelp) {
    return lineOfHelp.starts_with("  -");
}

// "  --busy-poll TIME=150us   ..." has "150us"; empty where there is none.
std::string defaultIn(const std::string& lineOfHelp) {
    const std::size_t type = lineOfHelp.find(' ', 2) + 1;
    const std::string words = lineOfHelp.substr(type, lineOfHelp.find(' ', type) - type);
    if (words == "KEY=VALUE") return "";
    return words.find('=') == std::string::npos ? "" : words.substr(words.rfind('=') + 1);
}

class ManPage : public testing::TestWithParam<std::string> {
  protected:
    // With the hyphens that troff writes as \-.
    static std::string page() {
        std::string text = support::projectFile("docs/man/" + GetParam() + ".1");
        std::erase(text, '\\');
        return text;
    }
    // The empty one is the program's own.
    static std::vector<std::string> subcommands() {
        if (GetParam() == "smpp-bench") return {"", "esme", "smsc"};
        return {""};
    }
    static Lines help(const std::string& subcommand) {
        std::vector<std::string> command{support::bin(GetParam()), subcommand, "--help"};
        std::erase(command, "");
        support::Process program(command);
        EXPECT_EQ(program.wait(), 0);
        return linesOf(program.output());
    }
    static Names optionsOfHelp() {
        Names names;
        for (const std::string& subcommand : subcommands()) {
            for (const std::string& line : help(subcommand)) {
                if (explains(line)) addOptions(line.substr(0, line.find(' ', 2)), names);
            }
        }
        if (GetParam() == "echo-client") names.insert("--listen");  // of echo-client agent
        return names;
    }
    // Where the page begins to explain the options.
    static std::size_t optionsOf(const std::string& subcommand, const std::string& text) {
        if (subcommand.empty()) return 0;
        return text.find(".SS Options of " + GetParam() + " " + subcommand);
    }
    // Those that an entry of a list explains: it follows .TP.
    static Names entries() {
        Names names;
        bool begins = false;
        for (const std::string& line : linesOf(page())) {
            if (begins) addOptions(line, names);
            begins = line == ".TP";
        }
        return names;
    }
};

TEST_P(ManPage, ExplainsEveryOptionOfHelp) {
    EXPECT_GE(optionsOfHelp().size(), 11u);
    EXPECT_EQ(optionsOfHelp(), entries());
}

TEST_P(ManPage, SpeaksOfNoOptionThatHelpDoesNotKnow) {
    Names spokenOf;
    for (const std::string& line : linesOf(page())) addOptions(line, spokenOf);
    const Names known = optionsOfHelp();
    for (const std::string& name : spokenOf) EXPECT_TRUE(known.contains(name)) << name;
}

TEST_P(ManPage, NamesTheDefaultsThatHelpNames) {
    const std::string text = page();
    for (const std::string& subcommand : subcommands()) {
        const std::size_t options = optionsOf(subcommand, text);
        ASSERT_NE(options, std::string::npos) << subcommand;
        for (const std::string& line : help(subcommand)) {
            if (!explains(line) || defaultIn(line).empty()) continue;
            std::string option = line.substr(2, line.find(' ', 2) - 2);
            if (const std::size_t comma = option.find(','); comma != std::string::npos) {
                option.insert(comma + 1, " ");
            }
            const std::size_t begin = text.find(".TP\n.B " + option + " ", options);
            ASSERT_NE(begin, std::string::npos) << option;
            const std::string paragraph = text.substr(begin, text.find("\n.TP", begin + 1) - begin);
            const std::string said = "Default: " + defaultIn(line);
            EXPECT_THAT(paragraph + "\n", AnyOf(HasSubstr(said + "\n"), HasSubstr(said + " ")))
                << option;
        }
    }
}

// What the manual page of echo-client says of the option, up to the next one.
std::string paragraphOf(const std::string& option) {
    std::string text = support::projectFile("docs/man/echo-client.1");
    std::erase(text, '\\');
    const std::size_t begin = text.find(".TP\n.B " + option + " ");
    return text.substr(begin, text.find("\n.TP", begin + 1) - begin);
}

bool hasWord(const std::string& text, const std::string& word) {
    return text.find(" " + word + " ") != std::string::npos ||
           text.find(" " + word + "\n") != std::string::npos;
}

TEST(ManPageOfEchoClient, ExplainsEveryColumnOfItsCsv) {
    std::istringstream columns(load::toCsv(load::LoadReport()));
    std::string header;
    std::getline(columns, header, '\r');
    std::istringstream words(header);
    for (std::string word; std::getline(words, word, ',');) {
        EXPECT_TRUE(hasWord(paragraphOf("--csv"), word)) << word;
    }
}

TEST(ManPageOfEchoClient, ExplainsEveryKeyOfAJsonLine) {
    std::ostringstream line;
    load::JsonLines(line).observed(load::Sample());
    const auto parsed = nlohmann::json::parse(line.str());
    for (const auto& [key, value] : parsed.items()) {
        EXPECT_TRUE(hasWord(paragraphOf("--json-lines"), key)) << key;
    }
}

std::string nameOf(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::erase(name, '-');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, ManPage,
                         testing::Values("echo-server", "echo-client", "sms-router", "smpp-bench"),
                         nameOf);

}  // namespace
}  // namespace apps
