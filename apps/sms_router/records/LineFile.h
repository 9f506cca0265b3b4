// A file that whole lines are appended to. It may be renamed meanwhile, see reopen().
//
// A write that fails in the middle of a line (disk full) cuts the file back to its last whole line;
// where that cannot be done (no regular file) the next write begins with a newline.
//
// Thread: one at a time.
// Errors: std::system_error from the constructor and reopen(); after the latter the old file is
// still in use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include <nio/sys/UniqueFd.h>

namespace router {

class LineFile {
  public:
    struct Written {
        std::error_code error;      // none: all of it
        std::size_t linesLost = 0;  // none of which is in the file, not even in part
    };

    // Made with mode 0640 if it is not there. A pipe must have a reader. A symbolic link is refused
    // in a folder that all users may write.
    explicit LineFile(std::string path);

    // `lines` ends with a newline, or is empty. Waits for a slow disk; for the reader of a pipe
    // one second.
    Written write(std::string_view lines);
    // Opens what is under its name now, or makes it.
    void reopen();

    const std::string& path() const { return path_; }

  private:
    std::error_code writeAll(std::string_view& left);
    void cutTornLine(std::size_t bytes);

    const std::string path_;
    nio::UniqueFd fd_;
    bool torn_ = false;
};

}  // namespace router
