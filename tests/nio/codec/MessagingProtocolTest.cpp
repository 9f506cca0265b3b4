#include "CodecTesting.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nio/codec/LineDecoder.h>
#include <nio/codec/MessageCodec.h>
#include <nio/codec/MessagingProtocol.h>

namespace nio {
namespace {

// Says back what it hears, nothing to silence, and ends with "bye".
class EchoProtocol final : public MessagingProtocol<std::string> {
  public:
    explicit EchoProtocol(bool& destroyed) : destroyed_(destroyed) {}
    ~EchoProtocol() override { destroyed_ = true; }

    std::optional<std::string> process(std::string message) override {
        if (message.empty()) return std::nullopt;
        over_ = message == "bye";
        return message + "!";
    }
    bool shouldTerminate() const override { return over_; }

  private:
    bool& destroyed_;
    bool over_ = false;
};

TEST(MessagingProtocol, IsDestroyedThroughItsInterface) {
    bool destroyed = false;
    std::unique_ptr<MessagingProtocol<std::string>> protocol =
        std::make_unique<EchoProtocol>(destroyed);
    protocol.reset();
    EXPECT_TRUE(destroyed);
}

TEST(MessagingProtocol, TalksThroughACodecAndAFramingWithoutASocket) {
    bool destroyed = false;
    EchoProtocol protocol(destroyed);
    TextCodec codec;
    LineDecoder framing;
    codectest::Feeder feeder(framing);
    codectest::KeepingSink answers;

    feeder.feed("hello\n\nbye\nunheard\n");
    for (const std::string& packet : feeder.packets()) {
        const std::optional<std::string> message = codec.decode(asBytes(packet));
        ASSERT_TRUE(message);
        const std::optional<std::string> answer = protocol.process(*message);
        if (answer) {
            Bytes bytes;
            codec.encode(*answer, bytes);
            ASSERT_TRUE(framing.encode(bytes, answers).ok());
        }
        if (protocol.shouldTerminate()) break;
    }
    EXPECT_EQ(answers.text(), "hello!\nbye!\n");
}

}  // namespace
}  // namespace nio
