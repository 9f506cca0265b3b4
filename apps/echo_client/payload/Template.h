// The text of a message as the user writes it: C escapes, and places that differ from message to
// message: {seq} (from 0, of the connection), {conn} (from 0), {random:8} (so many letters and
// digits; 10k, as numbers are written elsewhere). What else is in braces stands for itself.
//
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

#include "echo_client/plan/Random.h"

namespace load {

class Template {
  public:
    // Of a message, its places filled.
    static constexpr std::size_t longest = 16 * 1024 * 1024;

    // "PING\r\n", or "@FILE": the file's bytes, without escapes. Not empty.
    // Errors: std::errc::invalid_argument; context() is a sentence.
    static nio::Result<Template> parse(const std::string& text);

    // The same numbers make the same message.
    void append(std::uint64_t connection, std::uint64_t sequence, Random random,
                nio::Bytes& to) const;
    // No message has more bytes.
    std::size_t largest() const;
    // What parse() reads as the same, without a file.
    std::string toString() const;

  private:
    enum class Kind { literal, sequence, connection, random };
    struct Part {
        Kind kind = Kind::literal;
        std::string bytes{};
        std::size_t letters = 0;
    };

    // The place that `text` begins with, and its length in `text`; 0: none.
    static nio::Result<Part> placeAt(std::string_view text, std::size_t& length);
    nio::Result<void> add(std::string_view text, bool hasEscapes);
    nio::Result<void> addLiteral(const std::string& text, bool hasEscapes);

    std::vector<Part> parts_;
};

// "\r\n" as the bytes 13 and 10: the escapes of C, \e for 27, and a backslash before any other
// punctuation. Errors: std::errc::invalid_argument; context() is a sentence.
nio::Result<std::string> unescape(std::string_view text);
// What unescape() reads as the same: three octal digits for each byte that could mean something,
// and for the first one, so that the text is no word of --expect. All ASCII.
std::string escape(std::string_view bytes);

}  // namespace load
