// Where one result goes: opened once, before the load, and kept open until it is written. A regular
// file keeps what it holds until the first write. A FIFO, pipe or device is never opened a second
// time, for that would be the end of it to its reader.
//
// A path that leads to standard output or standard error, or "-", writes there, behind what is
// there already.
//
// Thread: one at a time.
// Errors: of open(), a Result; of write(), good().
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include <nio/base/Result.h>
#include <nio/sys/UniqueFd.h>

namespace load {

class OutputFile {
  public:
    using Identity = std::pair<dev_t, ino_t>;

    static constexpr const char* standardOutput = "-";

    // Of an open descriptor; absent for /dev/null, which may be the file of several.
    static std::optional<Identity> identityOf(int fd);

    // Takes everything, and keeps nothing.
    OutputFile() = default;
    // Waits a while for the reader of a FIFO.
    static nio::Result<OutputFile> open(const std::string& path);
    OutputFile(OutputFile&& other) noexcept = default;
    OutputFile& operator=(OutputFile&& other) noexcept = default;
    // Removes a file that open() has made and nothing was written to.
    ~OutputFile();

    bool isOpen() const { return static_cast<bool>(fd_); }
    std::optional<Identity> identity() const { return identityOf(fd_.get()); }
    // Whatever the path is called, but not where it names standard error.
    bool isStandardOutput() const { return isStandardOutput_; }
    bool good() const { return good_; }
    // The first one replaces what a regular file holds.
    void write(const std::string& text);
    // The same while a load runs: a reader that takes nothing for a second is an error. Writes
    // nothing after an error: it would stand behind half a line.
    void writeSoon(const std::string& text);
    // A regular file is removed if open() has made it; otherwise it is emptied.
    void discard();

  private:
    void begin();
    void empty();

    std::string path_;
    nio::UniqueFd fd_;
    bool isOwn_ = false;  // a regular file, which is not a standard stream as well
    bool isNew_ = false;  // open() has made it
    bool isStandardOutput_ = false;
    bool begun_ = false;
    bool good_ = true;
};

}  // namespace load
