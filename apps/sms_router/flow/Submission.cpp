#include "sms_router/flow/Submission.h"

namespace router {

bool handOver(SubmitGate& gate, Submission& submission) {
    if (gate.dispatcher().isCurrent()) {
        if (submission.moves == 0) submission.handedOver = submission.arrived;
        gate.submitNow(std::move(submission));
        return true;
    }
    auto owned = std::make_unique<Submission>(std::move(submission));
    Submission& handed = *owned;
    auto hand = [&gate, submission = std::move(owned)] {
        nio::onDispatcher.assertCurrent();
        if (submission->moves == 0) submission->handedOver = nio::Clock::now();
        gate.submitNow(std::move(*submission));
    };
    if (gate.dispatcher().invokeLater(std::move(hand))) return true;
    submission = std::move(handed);
    return false;
}

}  // namespace router
