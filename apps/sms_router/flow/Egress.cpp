#include "sms_router/flow/Egress.h"

namespace router {

bool handOver(Egress& egress, Submission& submission) {
    if (egress.dispatcher().isCurrent()) {
        if (submission.moves == 0) submission.handedOver = submission.arrived;
        egress.submitNow(std::move(submission));
        return true;
    }
    auto owned = std::make_unique<Submission>(std::move(submission));
    Submission& handed = *owned;
    auto hand = [&egress, submission = std::move(owned)] {
        nio::onDispatcher.assertCurrent();
        if (submission->moves == 0) submission->handedOver = nio::Clock::now();
        egress.submitNow(std::move(*submission));
    };
    if (egress.dispatcher().invokeLater(std::move(hand))) return true;
    submission = std::move(handed);
    return false;
}

}  // namespace router
