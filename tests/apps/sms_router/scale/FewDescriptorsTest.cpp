// A router that may have only 64 descriptors.
#include <gtest/gtest.h>

#include "apps/sms_router/scale/CleanScene.h"

namespace router::scenarios {
namespace {

RouterSetup withFewDescriptors() {
    return {.esme1 = "max_binds = 1000", .prefix = {"sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"}};
}

// Binds that were asked for on connections that may wait a while.
std::vector<SmppPeer> askedToBind(RouterProcess& router, int count) {
    std::vector<SmppPeer> esmes;
    for (int i = 0; i < count; ++i) {
        SmppPeer& esme = esmes.emplace_back(router.connected());
        esme.send(bindPdu(esme.nextSequence(), {}));
    }
    return esmes;
}

TEST(RouterFewDescriptors, ServesThoseWhoWaitWhenOthersLeave) {
    CleanScene scene(withFewDescriptors());
    std::vector<SmppPeer> esmes = askedToBind(scene.router, 150);
    for (SmppPeer& esme : esmes) {
        EXPECT_EQ(esme.expectAnswer(1).status(), Status::ok);
        const std::string id = scene.accepted(esme, "s" + std::to_string(&esme - esmes.data()));
        EXPECT_EQ(id.size(), 16u);
        esme.unbind();
    }
}

TEST(RouterFewDescriptors, CallsItsSmscAgainAlthoughEsmesHaveTheRest) {
    CleanScene scene(withFewDescriptors());
    std::vector<SmppPeer> esmes = askedToBind(scene.router, 100);
    EXPECT_EQ(esmes.front().expectAnswer(1).status(), Status::ok);
    for (int i = 0; i < 3; ++i) {
        scene.smsc.close();
        scene.smsc = scene.listener.accept();
        EXPECT_EQ(scene.accepted(esmes.front(), "s" + std::to_string(i)).size(), 16u);
    }
}

TEST(RouterFewDescriptors, RecoversFromMoreThanItCanHave) {
    CleanScene scene(withFewDescriptors());
    for (int round = 0; round < 3; ++round) askedToBind(scene.router, 150);
    SmppPeer esme = scene.router.bound();
    EXPECT_EQ(scene.accepted(esme, "s1").size(), 16u);
}

}  // namespace
}  // namespace router::scenarios
