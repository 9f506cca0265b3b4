// An honest echo client that sends every byte in a segment of its own: the next one once the kernel
// has taken the last, the next message once every byte of the answer was right. (Where the server
// is slower than that, the kernel puts those that wait together; and on io_uring bytes that one
// turn sends may leave in one segment.)
//
// A wrong byte, one too many, or options.answerTimeout without progress end the connection with
// RST. When the time is over, the message under way is still sent and awaited.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

class OneByte final : public BadConnection {
  public:
    OneByte(nio::SocketChannel channel, MisbehaviourWorker& worker, std::size_t number);

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher);
    void taken() override NIO_REQUIRES(nio::onDispatcher);
    void heard(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher);
    void leave() override { leaving_ = true; }

    void beginMessage() NIO_REQUIRES(nio::onDispatcher);
    void sendOne() NIO_REQUIRES(nio::onDispatcher);
    bool isRight(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher);
    void answered() NIO_REQUIRES(nio::onDispatcher);
    void wrong(const std::string& how) NIO_REQUIRES(nio::onDispatcher);
    void late() NIO_REQUIRES(nio::onDispatcher);

    nio::Deadline patience_;
    std::size_t message_ = 0;  // in the script
    std::size_t answers_ = 0;
    // In the script: what is to be answered next, and where the message under way begins and ends.
    std::uint64_t expected_ = 0;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    bool leaving_ = false;
};

}  // namespace load
