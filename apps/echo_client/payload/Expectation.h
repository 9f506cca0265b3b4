// What must be answered to a message, and where the answer ends:
//
//     TEXT           these bytes, as a Template writes them: {seq} is that of the message
//     /REGEX/        what the regular expression (RE2) matches from the beginning, which is never
//                    nothing; . is any byte; its answer has at most longestOfRegex bytes
//     length:N       N bytes, whatever they are
//     until:TEXT     all up to these bytes, and these
//     lines:N        N lines, each up to \n
//     any            what has come by the time the answer is read
//
// Thread: any; a value.
#pragma once

#include <memory>
#include <string>

#include "echo_client/payload/Template.h"

namespace re2 {
class RE2;
}

namespace load {

class Expectation {
  public:
    // An answer that is longer is wrong.
    static constexpr std::size_t longest = Template::longest;
    // A regular expression is matched again from the beginning with each piece that arrives.
    static constexpr std::size_t longestOfRegex = 1024 * 1024;

    // Errors: std::errc::invalid_argument; context() is a sentence.
    static nio::Result<Expectation> parse(const std::string& text);

    struct Match {
        enum class Kind { whole, partial, wrong } kind = Kind::partial;
        std::size_t bytes = 0;  // of the answer; if it is partial, those that are seen through
        std::size_t lines = 0;  // in them
    };
    // `bytes` are not empty; `exact` is what append() has made. `before` is what was partial with
    // fewer of these bytes: only a regular expression looks at what was seen through again.
    Match match(nio::ByteView bytes, nio::ByteView exact, const Match& before) const;
    // The exact bytes for a message, if there are such.
    void append(std::uint64_t connection, std::uint64_t sequence, Random random,
                nio::Bytes& to) const;
    bool isAny() const { return kind_ == Kind::any; }
    // Bytes that are no answer are known for wrong by nothing but that they never become one.
    bool isRegex() const { return kind_ == Kind::regex; }
    // As parse() reads it: without a file, and all ASCII.
    std::string toString() const { return text_; }

  private:
    enum class Kind { exact, regex, length, until, lines, any };

    Kind kind_ = Kind::any;
    std::string text_;
    Template exact_;
    std::shared_ptr<const re2::RE2> regex_;
    std::size_t count_ = 0;
    std::string delimiter_;
};

}  // namespace load
