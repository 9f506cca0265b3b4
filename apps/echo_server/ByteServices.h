// --discard and --chargen: applications that answer nothing, and that answer without being asked.
//
// Thread: the connection's dispatcher; copies any.
// Source: RFC 863, RFC 864.
#pragma once

#include <string>

#include <nio/base/Bytes.h>
#include <nio/base/ThreadRole.h>

namespace echo {

class Discard {
  public:
    void read(auto&, nio::ByteView) {}
};

// Lines of 72 of the 95 printable characters, each line one character further on. Until the peer
// closes: its FIN alone does not end the output.
class Chargen {
  public:
    void opened(auto& peer) NIO_REQUIRES(nio::onDispatcher) { generate(peer); }
    void read(auto&, nio::ByteView) {}
    void flushed(auto& peer) NIO_REQUIRES(nio::onDispatcher) { generate(peer); }
    void peerFinished(auto&) {}

    // After these lines they begin anew.
    static const std::string& pattern() {
        static const std::string lines = [] {
            constexpr std::size_t printable = '~' - ' ' + 1;
            constexpr std::size_t lineLength = 72;
            std::string text;
            for (std::size_t line = 0; line < printable; ++line) {
                for (std::size_t i = 0; i < lineLength; ++i) {
                    text += static_cast<char>(' ' + (line + i) % printable);
                }
                text += "\r\n";
            }
            return text;
        }();
        return lines;
    }

  private:
    static void generate(auto& peer) NIO_REQUIRES(nio::onDispatcher) {
        if (peer.maySend()) peer.send(nio::asBytes(pattern()));
    }
};

}  // namespace echo
