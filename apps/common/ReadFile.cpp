#include "common/ReadFile.h"

#include <cerrno>
#include <fstream>

namespace apps {

namespace {

// A stream need not say why it failed.
nio::Error lastError(const std::string& path) {
    return {std::error_code(errno == 0 ? EIO : errno, std::generic_category()), path};
}

}  // namespace

nio::Result<std::string> readFile(const std::string& path, std::size_t most) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return lastError(path);
    std::string text;
    char part[65536];
    while (file.read(part, sizeof part) || file.gcount() > 0) {
        text.append(part, static_cast<std::size_t>(file.gcount()));
        if (text.size() > most) return nio::Error(std::errc::file_too_large, path);
    }
    if (!file.eof()) return lastError(path);
    return text;
}

}  // namespace apps
