// An SmppLink over a real socket on a dispatcher, which writes down what it is told, and its peer.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "apps/sms_router/support/RawSmpp.h"
#include "sms_router/session/SmppLink.h"

namespace router {

// Accepts every bind, answers every request, and notes what it is told.
class NotingLink final : public SmppLink {
  public:
    using SmppLink::SmppLink;

    using SmppLink::holdRequestsNow;
    using SmppLink::rearm;

    std::vector<std::string> told;
    bool answers = true;

  private:
    void opened() override NIO_REQUIRES(nio::onDispatcher) { told.emplace_back("opened"); }
    void closed(const std::string& why) override NIO_REQUIRES(nio::onDispatcher) {
        EXPECT_EQ(connection(), nullptr);
        told.push_back("closed: " + why);
    }
    void bindRequested(const smpp::Pdu&) override { session().acceptBind(smppNow()); }
    void requestArrived(const smpp::Pdu& request) override {
        told.push_back("request " + smpp::smpptest::shown(request.bytes()));
        if (answers) session().respond(request.command(), smpp::Status::ok, request.sequence());
    }
    void responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) override {
        told.push_back("answer to " + std::to_string(cookie) + ", " +
                       std::to_string(static_cast<unsigned>(answer.status())));
    }
    void requestLost(smpp::Cookie cookie, smpp::Lost, smpp::Status) override {
        told.push_back("lost " + std::to_string(cookie));
    }
};

inline constexpr std::string_view bindAnswer =
    "00000019 80000009 00000000 00000001 'nio' 00 0210 0001 34";

class LinkCase : public ::testing::Test {
  protected:
    LinkCase() {
        options->systemId = "nio";
        constexpr std::chrono::milliseconds off{0};
        options->timers = {off, off, off, off, off};
    }
    // All timers are off but those that the test has set.
    void open() {
        noting = std::make_shared<NotingLink>(options);
        dispatcher.add(SmppLink::makeHandler(std::move(link.channel), noting, limits),
                       nio::Interest::read);
    }
    void openAndBind() {
        open();
        peer.send(smpp::smpptest::pduOf(
            "00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00 00"));
        ASSERT_EQ(peer.next(), written(bindAnswer));
    }
    bool untilTold(std::string_view last) {
        return dispatcher.turnUntil(
            [&] { return !noting->told.empty() && noting->told.back() == last; });
    }
    template <class F>
    void inTurn(F&& f) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }
    // A request of ours, deliver_sm.
    bool request(smpp::Cookie cookie) {
        nio::Bytes pdu = smpp::smpptest::pduOf(
            "00000005 00000000 00000000 00 01 01 'A' 00 01 01 'B' 00 00 00 00"
            "00 00 00 00 00 00 01 'x'");
        bool sent = false;
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            sent = noting->requestNow(pdu, cookie);
        });
        return sent;
    }

    const std::shared_ptr<smpp::SessionOptions> options = std::make_shared<smpp::SessionOptions>();
    PduLimits limits{1000};
    std::shared_ptr<NotingLink> noting;
    support::TestDispatcher dispatcher;
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    RawSmpp peer{std::move(link.peer), dispatcher};
};

}  // namespace router
