// docs/man/sms-router.1 and --help know the same options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "apps/sms_router/config/ProjectFile.h"
#include "sms_router/config/RouterOptions.h"

namespace router {
namespace {

using Names = std::set<std::string>;

std::string help() {
    std::string words[] = {"sms-router", "--help"};
    char* argv[] = {words[0].data(), words[1].data()};
    int exitCode = 0;
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parseRouterOptions(2, argv, exitCode));
    return testing::internal::GetCapturedStdout();
}

// With the hyphens that troff writes as \-.
std::string manPage() {
    std::string text = projectFile("docs/man/sms-router.1");
    std::erase(text, '\\');
    return text;
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

// "  --config FILE ..." or "  -h,--help ...".
Names optionsOfHelp() {
    Names names;
    std::istringstream lines(help());
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  -")) addOptions(line.substr(0, line.find(' ', 2)), names);
    }
    return names;
}

TEST(RouterManPage, ExplainsEveryOptionOfHelp) {
    Names entries;
    std::istringstream lines(manPage());
    bool begins = false;
    for (std::string line; std::getline(lines, line);) {
        if (begins) addOptions(line, entries);
        begins = line == ".TP";
    }
    EXPECT_GE(entries.size(), 11u);
    EXPECT_EQ(optionsOfHelp(), entries);
}

TEST(RouterManPage, SpeaksOfNoOptionThatHelpDoesNotKnow) {
    Names spokenOf;
    std::istringstream lines(manPage());
    for (std::string line; std::getline(lines, line);) addOptions(line, spokenOf);
    const Names known = optionsOfHelp();
    for (const std::string& name : spokenOf) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace router
