// A connector that keeps the submissions it gets until the test answers them, and notes what
// becomes of its deliveries: "7 safe 0".
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sms_router/model/Egress.h"

namespace router {

class NotingEgress : public Egress {
  public:
    // Before anything is submitted or delivered.
    void standOn(nio::SelectorThread& thread) { thread_ = &thread; }

    nio::SelectorThread& dispatcher() const override { return *thread_; }
    void submitNow(Submission&& submission) override NIO_REQUIRES(nio::onDispatcher) {
        submissions.push_back(std::move(submission));
    }
    void senderGoneNow(nio::ChannelHandle) override NIO_REQUIRES(nio::onDispatcher) {}
    void deliveredNow(nio::ChannelHandle, std::uint32_t sequence, smpp::Command, MessageId,
                      std::uint8_t, Delivered how, smpp::Status status) override
        NIO_REQUIRES(nio::onDispatcher) {
        EXPECT_TRUE(thread_->isCurrent());
        told.push_back(std::to_string(sequence) +
                       (how == Delivered::safe ? " safe " : " refused ") +
                       std::to_string(static_cast<unsigned>(status)));
    }

    std::vector<Submission> submissions;
    std::vector<std::string> told;

  private:
    nio::SelectorThread* thread_ = nullptr;
};

}  // namespace router
