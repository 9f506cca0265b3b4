// A file of the project, for tests that compare documents with the program.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace support {

inline std::string projectFile(const std::string& name) {
    auto folder = std::filesystem::absolute(__FILE__).parent_path();
    while (folder.has_relative_path() && !std::filesystem::exists(folder / "docs/man")) {
        folder = folder.parent_path();
    }
    std::ifstream file(folder / name);
    EXPECT_TRUE(file) << "no " << name << " above " << __FILE__;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace support
