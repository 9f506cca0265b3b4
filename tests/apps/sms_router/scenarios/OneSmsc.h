// The usual scene: the router, bound to one SMSC as a transceiver.
//
//     OneSmsc scene({.esme1 = "window = 2"});
//     SmppPeer esme = scene.router.bound("esme1");
//     esme.submit({.text = "hello"});
//     scene.smsc.answer(scene.smsc.nextSubmit(), "17");
//
// Thread: one at a time.
#pragma once

#include "apps/sms_router/scenarios/RouterProcess.h"
#include "apps/sms_router/scenarios/TestSmsc.h"

namespace router::scenarios {

struct OneSmsc {
    // `settings` are those of its connector, "smsc".
    explicit OneSmsc(RouterSetup setup = {}, const std::string& settings = {})
        : router(withConnector(std::move(setup), settings)), smsc(listener.accept()) {
        router.address();
    }

    // A message from `esme` to the SMSC and back: our id of it.
    std::string accepted(SmppPeer& esme, const std::string& smscId, const Message& message = {}) {
        const std::uint32_t sequence = esme.submit(message);
        smsc.answer(smsc.nextSubmit(), smscId);
        return esme.expectAnswer(sequence).id();
    }

    // The receipt reaches `esme`, as one, and the SMSC hears of that.
    void expectPassedOn(SmppPeer& esme, const Message& receipt) {
        const std::uint32_t sequence = smsc.receipt(receipt);
        const OwnedPdu came = esme.expect(Command::deliverSm);
        EXPECT_EQ(came->number(Field::esmClass), receipt.esmClass);
        esme.answer(came);
        EXPECT_EQ(smsc.expectAnswer(sequence).status(), Status::ok);
    }

    TestSmsc listener;
    RouterProcess router;
    SmscBind smsc;

  private:
    RouterSetup withConnector(RouterSetup setup, const std::string& settings) {
        setup.connectors = {{"smsc", listener.port(), settings}};
        return setup;
    }
};

}  // namespace router::scenarios
