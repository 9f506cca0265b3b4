// fuzz-replay TARGET PATH...: gives a target every file that is named or lies in a folder that is,
// in the order of their names. Needs no libFuzzer. Exit 2: no such target, or no file.

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

#include "fuzz/FuzzTarget.h"
#include "simulation/Arguments.h"

namespace {

namespace fs = std::filesystem;

using simulation::Mistake;

constexpr const char* help =
    "usage: fuzz-replay TARGET PATH...\n\n"
    "Gives a target each file that is named, or lies in a folder that is.\n\n"
    "Targets: %s.\n\n"
    "Exit code: 0 each property holds, 2 the command line is wrong; who breaks one aborts.\n";

// A folder cannot be read as a file, and says so.
std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    file.peek();
    if (file.is_open() && !file.bad()) return {std::istreambuf_iterator<char>(file), {}};
    throw Mistake(path.string() + ": cannot be read: " + std::strerror(errno));
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

void run(const fuzz::FuzzTarget& target, const fs::path& path) {
    const std::string bytes = contentOf(path);
    // Before, so that it can be seen which one it was.
    std::fprintf(stderr, "%s\n", path.c_str());
    target(bytes);
}

void runAll(simulation::Arguments arguments) {
    if (arguments.left() < 2) throw Mistake("TARGET PATH... are needed; see --help");
    const std::string name = arguments.next();
    const fuzz::FuzzTarget& target = targetNamed(name);
    const std::vector<fs::path> files = filesOf(arguments);
    testing::GTEST_FLAG(break_on_failure) = true;
    for (const fs::path& file : files) run(target, file);
    std::printf("%s: %zu files\n", name.c_str(), files.size());
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
