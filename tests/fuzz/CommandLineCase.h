// What the targets for command lines share. What must hold of every program's: no crash, and
// either options, or an exit code with what there is to say: 0 and text on standard output (help,
// the version), or 2 and one line on standard error that begins with the program's name.
//
// Input: the words, each ended by a line feed.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/FuzzTarget.h"

namespace fuzz {

// The standard streams' text while it lives. Mistakes go to the descriptor itself.
class CapturedStreams {
  public:
    CapturedStreams()
        : out_(std::cout.rdbuf(outText_.rdbuf())),
          file_(std::tmpfile()),
          error_(::dup(STDERR_FILENO)) {
        (void)::dup2(::fileno(file_), STDERR_FILENO);
    }
    CapturedStreams(const CapturedStreams&) = delete;
    CapturedStreams& operator=(const CapturedStreams&) = delete;
    ~CapturedStreams() {
        std::cout.rdbuf(out_);
        (void)::dup2(error_, STDERR_FILENO);
        (void)::close(error_);
        (void)std::fclose(file_);
    }
    std::string out() const { return outText_.str(); }
    std::string error() const {
        std::cerr.flush();
        std::string text(64 * 1024, '\0');
        const ssize_t size = ::pread(::fileno(file_), text.data(), text.size(), 0);
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

  private:
    std::ostringstream outText_;
    std::streambuf* out_;
    std::FILE* file_;
    int error_;
};

// No word has a NUL in it: the system passes none.
inline std::vector<std::string> wordsOf(FuzzInput input) {
    std::vector<std::string> words;
    for (std::string_view rest = input.rest(); !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        words.emplace_back(rest.substr(0, std::min(rest.find('\0'), end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

// `parse(words, exitCode)` answers whether there are options.
template <class Parse>
void checkCommandLine(const std::string& program, const std::vector<std::string>& words,
                      Parse parse) {
    int exitCode = -1;
    std::string out;
    std::string error;
    bool parsed = false;
    {
        const CapturedStreams captured;
        parsed = parse(words, exitCode);
        out = captured.out();
        error = captured.error();
    }
    if (parsed) return require(error.empty(), "options, and nothing to say: " + error);
    if (exitCode == 0) return require(!out.empty() && error.empty(), "help is on standard output");
    require(exitCode == 2, "a mistake is exit code 2");
    require(out.empty(), "nothing on standard output");
    require(error.starts_with(program + ": ") && error.ends_with('\n') &&
                error.find('\n') + 1 == error.size(),
            "a mistake is one line: " + error);
}

// With an argv, as main() has it.
template <class Parse>
void checkArguments(const std::string& program, std::vector<std::string> words, Parse parse) {
    words.insert(words.begin(), program);
    checkCommandLine(program, words, [&](std::vector<std::string> all, int& exitCode) {
        std::vector<char*> argv;
        for (std::string& word : all) argv.push_back(word.data());
        argv.push_back(nullptr);
        return parse(static_cast<int>(all.size()), argv.data(), exitCode);
    });
}

}  // namespace fuzz
