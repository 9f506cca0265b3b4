// An exchange of the messages of a Dialogue: answers come in the order of the messages. A wrong
// answer, or one to no message, counts as corrupted and ends the exchange.
//
// Thread: one at a time. Lifetime: dialogue and tally live longer.
#pragma once

#include <deque>

#include "echo_client/payload/Dialogue.h"
#include "echo_client/payload/Exchange.h"

namespace load {

class DialogueExchange final : public Exchange {
  public:
    DialogueExchange(const Dialogue& dialogue, std::size_t connection, Random random, Tally& tally);

    nio::ByteView greet(nio::TimePoint now) override;
    nio::ByteView ask(nio::TimePoint planned, nio::TimePoint sent) override;
    bool answer(nio::ByteView bytes, nio::TimePoint now) override;
    bool answerPacket(nio::ByteView packet, nio::TimePoint now) override;
    void expire(nio::TimePoint limit) override;
    void end(bool broken) override;

  private:
    struct Asked {
        nio::TimePoint planned{};
        nio::TimePoint sent{};
        std::uint64_t sequence = 0;
        const Expectation* answer = nullptr;
        nio::Bytes exact{};  // the answer, if its bytes are known
    };

    // How much of `bytes` was the first message's answer; 0: nothing yet, or it was wrong.
    std::size_t takeAnswer(nio::ByteView bytes, nio::TimePoint now);
    void keep(nio::ByteView rest, bool isKept);
    void wrong(const std::string& what, nio::ByteView got);
    void dropFront();

    const Dialogue& dialogue_;
    const std::size_t connection_;
    Random random_;
    Tally& tally_;
    nio::Bytes message_;
    nio::Bytes arrived_;        // of an answer that is not whole
    Expectation::Match match_;  // of them
    std::deque<Asked> asked_;
    std::size_t overdue_ = 0;  // of them, from the front
    std::uint64_t sequence_ = 0;
    bool useless_ = false;
};

}  // namespace load
