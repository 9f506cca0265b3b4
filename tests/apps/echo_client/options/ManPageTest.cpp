// docs/man/echo-client.1 and --help know the same options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "echo_client/options/LoadOptionsParser.h"

namespace load {
namespace {

using Lines = std::vector<std::string>;
using Names = std::set<std::string>;

Lines linesOf(std::istream& stream) {
    Lines lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// With the hyphens that troff writes as \-.
Lines manPage() {
    auto folder = std::filesystem::absolute(__FILE__).parent_path();
    while (folder.has_relative_path() && !std::filesystem::exists(folder / "docs/man")) {
        folder = folder.parent_path();
    }
    std::ifstream file(folder / "docs/man/echo-client.1");
    EXPECT_TRUE(file) << "no docs/man/echo-client.1 above " << __FILE__;
    Lines lines = linesOf(file);
    for (std::string& line : lines) std::erase(line, '\\');
    return lines;
}

Lines help() {
    int exitCode = 0;
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parseLoadOptions({"--help"}, exitCode));
    std::istringstream text(testing::internal::GetCapturedStdout());
    return linesOf(text);
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

Names optionsOfHelp() {
    Names names;
    for (const std::string& line : help()) {
        if (explains(line)) addOptions(line.substr(0, line.find(' ', 2)), names);
    }
    return names;
}

// Those that an entry of a list explains: it follows .TP.
Names entriesOfManPage() {
    Names names;
    bool begins = false;
    for (const std::string& line : manPage()) {
        if (begins) addOptions(line, names);
        begins = line == ".TP";
    }
    return names;
}

TEST(ManPage, ExplainsEveryOptionOfHelp) {
    EXPECT_GE(optionsOfHelp().size(), 40u);
    Names known = optionsOfHelp();
    known.insert("--listen");  // of echo-client agent
    EXPECT_EQ(known, entriesOfManPage());
}

TEST(ManPage, SpeaksOfNoOptionThatHelpDoesNotKnow) {
    Names spokenOf;
    for (const std::string& line : manPage()) addOptions(line, spokenOf);
    Names known = optionsOfHelp();
    known.insert("--listen");  // of echo-client agent
    for (const std::string& name : spokenOf) EXPECT_TRUE(known.contains(name)) << name;
}

// "  --spin TIME=150us   ..." has "150us"; empty where there is none.
std::string defaultIn(const std::string& lineOfHelp) {
    const std::size_t type = lineOfHelp.find(' ', 2) + 1;
    const std::string words = lineOfHelp.substr(type, lineOfHelp.find(' ', type) - type);
    return words.find('=') == std::string::npos ? "" : words.substr(words.rfind('=') + 1);
}

TEST(ManPage, NamesTheDefaultsThatHelpNames) {
    std::string text;
    for (const std::string& line : manPage()) text += line + "\n";
    std::size_t count = 0;
    for (const std::string& line : help()) {
        if (!explains(line) || defaultIn(line).empty()) continue;
        const std::string option = line.substr(2, line.find(' ', 2) - 2);
        const std::size_t begin = text.find(".TP\n.B " + option + " ");
        ASSERT_NE(begin, std::string::npos) << option;
        const std::string paragraph = text.substr(begin, text.find("\n.TP", begin + 1) - begin);
        EXPECT_THAT(paragraph + "\n", testing::HasSubstr("Default: " + defaultIn(line) + "\n"))
            << option;
        ++count;
    }
    EXPECT_GE(count, 17u);
}

}  // namespace
}  // namespace load
