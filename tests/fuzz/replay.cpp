// fuzz-replay TARGET PATH...: runs a target on each file that is named or lies in a folder that is
// named, in the order of their names, and on each input of a packed corpus (NAME.corpus). Needs no
// libFuzzer. Exit code 2: no such target, no file, or a malformed corpus.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/Corpus.h"
#include "fuzz/FuzzTarget.h"
#include "simulation/Arguments.h"

namespace {

namespace fs = std::filesystem;

using simulation::Mistake;

constexpr const char* help =
    "usage: fuzz-replay TARGET PATH...\n\n"
    "Runs a target on each file that is named or lies in a folder that is named.\n"
    "Of a packed corpus, NAME.corpus, each line is an input.\n\n"
    "Targets: %s.\n\n"
    "Exit code: 0 each property holds, 2 the command line or a corpus is wrong. An input that\n"
    "breaks a property aborts the program.\n";

// A folder cannot be read as a file, and says so.
std::vector<fuzz::Input> inputsOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    file.peek();
    if (!file.is_open() || file.bad()) {
        throw Mistake(path.string() + ": cannot be read: " + std::strerror(errno));
    }
    if (path.extension() == ".corpus") return fuzz::readCorpus(file, path.string());
    return {{path.string(), {std::istreambuf_iterator<char>(file), {}}}};
}

void addFilesOf(const fs::path& folder, std::vector<fs::path>& files) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) files.push_back(entry.path());
    if (code) throw Mistake(folder.string() + ": cannot be read: " + code.message());
}

std::vector<fs::path> filesOf(simulation::Arguments& paths) {
    std::vector<fs::path> files;
    while (paths.left() > 0) {
        const fs::path path = paths.next();
        std::error_code ignored;  // who is none is read as a file, which says why it cannot be
        if (fs::is_directory(path, ignored)) {
            addFilesOf(path, files);
        } else {
            files.push_back(path);
        }
    }
    if (files.empty()) throw Mistake("no files");
    std::sort(files.begin(), files.end());
    return files;
}

std::string targetNames() {
    std::set<std::string_view> names;
    const fuzz::FuzzTarget* target = fuzz::FuzzTarget::first();
    for (; target != nullptr; target = target->next()) names.insert(target->name());
    std::string line;
    for (const std::string_view name : names) (line += line.empty() ? "" : ", ") += name;
    return line;
}

const fuzz::FuzzTarget& targetNamed(const std::string& name) {
    const fuzz::FuzzTarget* target = fuzz::FuzzTarget::first();
    while (target != nullptr && target->name() != name) target = target->next();
    if (target != nullptr) return *target;
    throw Mistake("TARGET: '" + name + "' is none of " + targetNames());
}

std::size_t run(const fuzz::FuzzTarget& target, const fs::path& path) {
    const std::vector<fuzz::Input> inputs = inputsOf(path);
    for (const fuzz::Input& input : inputs) {
        // Printed before the run, so that the last line names the input that aborts.
        std::fprintf(stderr, "%s\n", input.name.c_str());
        target(input.bytes);
    }
    return inputs.size();
}

void runAll(simulation::Arguments arguments) {
    if (arguments.left() < 2) throw Mistake("TARGET PATH... are needed; see --help");
    const std::string name = arguments.next();
    const fuzz::FuzzTarget& target = targetNamed(name);
    const std::vector<fs::path> files = filesOf(arguments);
    testing::GTEST_FLAG(break_on_failure) = true;
    std::size_t inputs = 0;
    for (const fs::path& file : files) inputs += run(target, file);
    if (inputs == 0) throw Mistake("no inputs");
    std::printf("%s: %zu inputs\n", name.c_str(), inputs);
}

}  // namespace

int main(int argc, char** argv) {
    const simulation::Arguments arguments(argc, argv);
    if (arguments.askForHelp()) {
        std::printf(help, targetNames().c_str());
        return 0;
    }
    try {
        runAll(arguments);
    } catch (const Mistake& mistake) {
        return simulation::say(mistake);
    }
    return 0;
}
