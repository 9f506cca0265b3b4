// --delay and --chunk: a stage that holds output back, in its order, until each answer is due, and
// lets it out in pieces. What it holds is pending output, so the water marks, a drain and the end
// of the connection wait for it.
//
// What one callback sends is one answer: the echoes of all that one read brought are due together.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include <nio/pipeline/StageTimer.h>

#include "common/Delay.h"

namespace echo {

class PacedOutput {
  public:
    // Between two pieces of --chunk, so that the peer's reads see them apart.
    static constexpr std::chrono::milliseconds pause{1};

    // `chunk`: the bytes of a piece; 0: each answer is one.
    PacedOutput(apps::Delay delay, std::size_t chunk) : delay_(delay), chunk_(chunk) {}

    void opened(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        static std::atomic<unsigned> seeds{1};
        random_.seed(seeds.fetch_add(1, std::memory_order_relaxed) * 2'654'435'761U);
        context.startEncoding();
    }
    void write(auto&, nio::ByteView bytes) {
        fresh_.insert(fresh_.end(), bytes.begin(), bytes.end());
    }
    void flush(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (!fresh_.empty()) {
            const nio::TimePoint due = nio::Clock::after(delay_.next(random_));
            const bool isFirst = answers_.empty();
            const std::size_t bytes = fresh_.size();
            answers_.push_back(
                {isFirst ? due : std::max(due, answers_.back().due), std::exchange(fresh_, {})});
            held_ += bytes;
        }
        sendDue(context);
    }
    std::size_t pendingBytes() const { return fresh_.size() + held_; }
    std::size_t memory() const {
        constexpr std::size_t ofAnAnswer = sizeof(Answer) + 32;  // and its block of the heap
        return pendingBytes() + answers_.size() * ofAnAnswer;
    }

    void closed(auto&) { timer_.stop(); }
    void leaving(auto&) { timer_.stop(); }
    void arrived(auto& context) NIO_REQUIRES(nio::onDispatcher) { sendDue(context); }

  private:
    struct Answer {
        nio::TimePoint due;
        nio::Bytes bytes;
    };

    void sendDue(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        const nio::TimePoint now = nio::Clock::now();
        while (!answers_.empty() && nextDue() <= now) {
            const nio::ByteView left = nio::ByteView(answers_.front().bytes).subspan(sent_);
            const nio::ByteView piece =
                chunk_ == 0 ? left : left.first(std::min(chunk_, left.size()));
            context.write(piece);
            held_ -= piece.size();
            sent_ += piece.size();
            if (chunk_ != 0) nextPiece_ = now + pause;
            if (piece.size() == left.size()) {
                answers_.pop_front();
                sent_ = 0;
            }
        }
        if (answers_.empty()) return;
        timer_.wakeAt(context.connection(), nextDue(), [this, context]() mutable {
            nio::onDispatcher.assertCurrent();
            sendDue(context);
        });
    }
    nio::TimePoint nextDue() const { return std::max(answers_.front().due, nextPiece_); }

    apps::Delay delay_;
    std::size_t chunk_;
    apps::Delay::Random random_;
    nio::Bytes fresh_;  // sent in this callback
    std::deque<Answer> answers_;
    std::size_t sent_ = 0;  // of the first answer
    std::size_t held_ = 0;  // of all answers
    nio::TimePoint nextPiece_{};
    nio::StageTimer timer_;
};

}  // namespace echo
