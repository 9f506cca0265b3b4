// Deliveries that a bind of SMPP 3.3 cannot be sent: there is no data_sm, and no deliver_sm that
// holds them.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "apps/sms_router/delivery/DeskCase.h"

namespace router {
namespace {

constexpr std::size_t smallStack = 1024 * 1024;

void onASmallStack(const std::function<void()>& run) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, smallStack);
    const auto main = [](void* what) -> void* {
        (*static_cast<const std::function<void()>*>(what))();
        return nullptr;
    };
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, &attributes, main,
                             const_cast<void*>(static_cast<const void*>(&run))),
              0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

struct PlainCase : DeskCase {
    // From a number that is too long.
    void deliverUnsendable(unsigned n) {
        Delivery delivery = deliveryOf(0, smpp::Command::dataSm);
        delivery.sequence = n;
        delivery.pdu = std::make_shared<const nio::Bytes>(
            octets("00000030 00000103 00000000 00000000 00 01 01 '123456789012345678901' 00"
                   "01 01 'B' 00 00 00 00"));
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bench.desk->deliverNow(std::move(delivery));
        });
    }
    std::unique_ptr<RawSmpp> bindAs33() {
        std::unique_ptr<RawSmpp> esme = bench.connect();
        esme->send("00000023 00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 33 00 00 00");
        EXPECT_EQ(esme->next(), written("00000014 80000009 00000000 00000001 'nio' 00"));
        return esme;
    }
};

TEST(AccountDeskPlain, UnsendableMessagesAreSkippedWithoutRecursion) {
    onASmallStack([] {
        constexpr unsigned many = 6000;
        PlainCase scene;
        scene.bench.start();
        for (unsigned n = 0; n < many; ++n) scene.deliverUnsendable(n);
        ASSERT_TRUE(scene.bench.dispatcher.turnUntil([&] { return scene.figures().kept == many; }));
        const auto esme = scene.bindAs33();
        EXPECT_TRUE(scene.bench.dispatcher.turnUntil(
            [&] { return scene.figures().lastError.text == "answered ESME_RX_T_APPN"; }));
        EXPECT_EQ(scene.figures().kept, many);
    });
}

TEST(AccountDeskPlain, WhereNothingMayBeKeptTheSmscIsToldAfterAWhile) {
    PlainCase scene;
    scene.bench.account.keep.messages = 0;
    scene.bench.start();
    const auto esme = scene.bindAs33();
    scene.deliverUnsendable(7);
    EXPECT_TRUE(scene.untilTold({"7 refused 100"}));
}

}  // namespace
}  // namespace router
