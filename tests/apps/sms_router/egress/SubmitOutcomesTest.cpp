// The answers of an SMSC that has accepted or refused a message: SentRequestsTest.
#include "sms_router/egress/SubmitOutcomes.h"

#include <gtest/gtest.h>

#include "apps/sms_router/support/EsmeBench.h"

namespace router {
namespace {

using smpp::Status;

class SubmitOutcomesTest : public ::testing::Test {
  protected:
    SubmitOutcomesTest() {
        bench.start();
        outcomes.emplace(bench.shards[0]);
    }
    Submission request(MessageId about = 0) {
        Submission made;
        made.origin.link = nio::ChannelHandle(*bench.dispatcher, 1, 0);
        made.origin.command = about == 0 ? smpp::Command::submitSm : smpp::Command::querySm;
        made.origin.ingress = &EsmeLink::ingress();
        made.account = &bench.known;
        made.about = about;
        return made;
    }
    void refuse(Submission submission, Status status) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            outcomes->refuseNow(submission, status, "refused");
        });
    }
    const SubmitOutcomes::Figures& figures() const { return outcomes->figures(); }

    EsmeBench bench;
    std::optional<SubmitOutcomes> outcomes;
};

TEST_F(SubmitOutcomesTest, RefusalsAreCountedByStatus) {
    refuse(request(), Status::msgQFul);
    refuse(request(), Status::sysErr);
    refuse(request(), Status::sysErr);
    EXPECT_EQ(figures().counters.refused, 3u);
    EXPECT_EQ(figures().counters.throttled, 1u);
    EXPECT_EQ(figures().refusedBy.of(smpp::Command::submitSm).counts().at(Status::sysErr), 2u);
}

TEST_F(SubmitOutcomesTest, OneThatWasNotSentHasBeenHandedOverOnly) {
    refuse(request(), Status::msgQFul);
    const Stages& stages = figures().refusedStages.counts().at(Status::msgQFul);
    EXPECT_EQ(stages.handOff.total(), 1u);
    EXPECT_EQ(stages.windowWait.total(), 0u);
    EXPECT_EQ(stages.smsc.total(), 0u);
}

TEST_F(SubmitOutcomesTest, ARefusedQuestionIsCountedButNotAsAMessage) {
    refuse(request(7), Status::invMsgId);
    EXPECT_EQ(figures().counters.refused, 0u);
    EXPECT_TRUE(figures().refusedBy.of(smpp::Command::submitSm).counts().empty());
    EXPECT_EQ(figures().refusedBy.of(smpp::Command::querySm).counts().at(Status::invMsgId), 1u);
    EXPECT_TRUE(figures().refusedStages.counts().empty());
}

}  // namespace
}  // namespace router
