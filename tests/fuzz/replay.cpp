// fuzz-replay TARGET PATH...: gives a target every file that is named or lies in a folder that is,
// in the order of their names. Needs no libFuzzer. Exit 1: no such target, or no file.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/FuzzTarget.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> filesOf(const std::vector<std::string>& paths) {
    std::vector<fs::path> files;
    for (const fs::path path : paths) {
        if (!fs::is_directory(path)) files.push_back(path);
        if (!fs::is_directory(path)) continue;
        for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

const fuzz::FuzzTarget* targetNamed(std::string_view name) {
    const fuzz::FuzzTarget* target = fuzz::FuzzTarget::first();
    while (target != nullptr && target->name() != name) target = target->next();
    return target;
}

void run(const fuzz::FuzzTarget& target, const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    fuzz::require(file.good(), "can read " + path.string());
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    // Before, so that it can be seen which one it was.
    std::fprintf(stderr, "%s\n", path.c_str());
    target(bytes);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
    const fuzz::FuzzTarget* target = argc < 2 ? nullptr : targetNamed(argv[1]);
    const std::vector<fs::path> files = filesOf(arguments);
    if (target == nullptr || files.empty()) {
        std::fprintf(stderr, "fuzz-replay: no such target, or no files\n");
        return 1;
    }
    testing::GTEST_FLAG(break_on_failure) = true;
    for (const fs::path& file : files) run(*target, file);
    std::printf("%s: %zu files\n", argv[1], files.size());
    return 0;
}
