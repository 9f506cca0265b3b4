// The router's side of an ESME's connection, over a real socket: the ESME sends what bytes choose,
// in any pieces, and a connector answers what bytes choose, right or not; deliveries go the other
// way. What must hold:
//  - the ESME gets whole PDUs, which can be read where no connector has made up their bodies;
//  - what is submitted is a whole PDU;
//  - nothing fails on the dispatcher, and the connection is gone when it is over.
//
// Input: how it binds, then steps.

#include "apps/sms_router/delivery/DeskCase.h"
#include "apps/sms_router/routing/RoutingTesting.h"
#include "smpp/session/SessionTesting.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;
using smpp::Command;
using smpp::smpptest::get32;

constexpr int mostSteps = 60;

class Gate final : public router::NotingEgress {
  public:
    void submitNow(router::Submission&& submission) override NIO_REQUIRES(nio::onDispatcher) {
        const nio::Bytes exact = submission.pdu;
        require(smpp::scan(exact).pdu.has_value(), "what is submitted is a PDU");
        NotingEgress::submitNow(std::move(submission));
    }
};

class Scene {
  public:
    explicit Scene(const std::string& bind) {
        for (Gate* gate : {&first_, &second_}) gate->standOn(*bench_.dispatcher);
        source_.standOn(*bench_.dispatcher);
        for (const std::size_t connector : {0U, 1U}) {
            router::RouteConfig& route = bench_.config.routes.emplace_back();
            route.destinations = {router::routingtest::pattern(connector == 0 ? "1*" : "2*")};
            route.connector = connector;
            bench_.board[connector].live = true;
        }
        bench_.config.routes[0].rewriteDestination.addPrefix = "49";
        bench_.account.window = 4;
        bench_.start();
        support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
        const auto address = link.channel.peerAddress().orThrow();
        auto esme = std::make_shared<router::EsmeLink>(
            bench_.shards, bench_.shards[0].sharedTopology()->esmeSession, address, false);
        bench_.dispatcher.add(router::SmppLink::makeHandler(std::move(link.channel), esme, {2000}),
                              nio::Interest::read);
        peer_.emplace(std::move(link.peer));
        nio::kernel::setNoDelay(peer_->fd(), true).orThrow();
        sendPdu(smpp::smpptest::pduOf(bind +
                                      " 00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00 00"));
        const bool answered = bench_.dispatcher.turnUntil([&] { return receive() > 0; });
        require(answered, "the bind is answered");
    }
    ~Scene() {
        (void)nio::kernel::setResetOnClose(peer_->fd()).ok();
        peer_->close();
    }

    void step(fuzz::FuzzInput& input) {
        switch (input.upTo(11)) {
            case 0: return send(input.take(input.byte()));
            case 1: return sendBroken(input);
            case 2: return submit(input.byte(), input.byte(), input.byte());
            case 3: return multi(input);
            case 4: return answer(first_, input);
            case 5: return answer(second_, input);
            case 6: return deliver(input.byte());
            case 7: return answerDelivery(input.byte());
            case 8: return finish();
            default: return sendOne(input.byte(), input.byte());
        }
    }
    void check() {
        bench_.dispatcher.turns(3);
        receive();
        require(bench_.dispatcher.failures.empty(), "nothing fails");
        require(bench_.dispatcher.misuses.empty(), "no misuse");
    }
    void finishAll() {
        (void)nio::kernel::setResetOnClose(peer_->fd()).ok();
        peer_->close();
        // As long as its window is full nothing is read, not even the end.
        const bool ended = bench_.dispatcher.turnUntil([&] {
            for (Gate* gate : {&first_, &second_}) refuseAll(*gate);
            return bench_.dispatcher->connectionCount() == 0;
        });
        require(ended, "the connection goes");
        bench_.dispatcher.turns(3);
        require(bench_.dispatcher.failures.empty(), "nothing fails in the end");
    }

  private:
    // --- the ESME ---------------------------------------------------------------------------

    void send(std::string_view bytes) {
        if (hasFinished_ || bytes.empty()) return;
        // What the router does not read any more, or the kernel has no room for, is lost.
        if (nio::kernel::send(peer_->fd(), nio::asBytes(bytes)).isFailed()) hasFinished_ = true;
    }
    void sendPdu(const nio::Bytes& pdu) { send(nio::asText(pdu)); }
    void sendOne(std::size_t command, std::uint32_t sequence) {
        const auto& all = smpp::smpptest::allCommands();
        sendPdu(smpp::smpptest::validPdu(all[command % all.size()], sequence));
    }
    // A right one with a wrong byte.
    void sendBroken(fuzz::FuzzInput& input) {
        const auto& all = smpp::smpptest::allCommands();
        nio::Bytes pdu = smpp::smpptest::validPdu(all[input.byte() % all.size()], input.byte());
        pdu[input.byte() % pdu.size()] = static_cast<nio::Byte>(input.byte());
        sendPdu(pdu);
    }
    void submit(std::uint32_t sequence, std::uint8_t digits, std::uint8_t flags) {
        const std::string to = std::to_string(digits);
        nio::Bytes pdu =
            smpp::smpptest::pduOf(Command::submitSm, sequence,
                                  std::string(1, '\0') + "\1\1" + "447700900000" + '\0' + "\1\1" +
                                      to + '\0' + std::string(5, '\0') +
                                      static_cast<char>(flags % 4) + std::string(3, '\0') + "\2hi");
        sendPdu(pdu);
    }
    void multi(fuzz::FuzzInput& input) {
        std::string body(4, '\0');
        const std::size_t count = input.upTo(6);
        body += static_cast<char>(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t digits = input.byte();
            body += digits == 0 ? "\2" + std::string("list") + '\0'
                                : "\1\1\1" + std::to_string(digits) + '\0';
        }
        body += std::string(9, '\0') + "\2hi";
        sendPdu(smpp::smpptest::pduOf(Command::submitMulti, input.byte(), body));
    }
    void answerDelivery(std::uint8_t status) {
        sendPdu(smpp::smpptest::pduOf(Command::deliverSmResp, lastDelivered_, std::string(1, '\0'),
                                      static_cast<smpp::Status>(status % 3 == 0 ? 0 : status)));
    }
    void finish() {
        if (hasFinished_) return;
        hasFinished_ = true;
        (void)nio::kernel::shutdownWrite(peer_->fd()).ok();
    }
    // The PDUs that have come so far.
    std::size_t receive() {
        received_ += peer_->receiveWhatIsThere();
        for (;;) {
            const nio::Bytes exact = nio::copyOf(nio::asBytes(received_));
            const smpp::Framed framed = smpp::PduFramer().next(exact);
            require(framed.kind != smpp::Framed::Kind::badLength, "what comes has a length");
            if (framed.kind != smpp::Framed::Kind::pdu) return pdus_;
            got(framed.bytes);
            received_.erase(0, framed.bytes.size());
            ++pdus_;
        }
    }
    void got(nio::ByteView pdu) {
        const auto command = static_cast<Command>(get32(pdu, 4));
        require(smpp::scan(nio::copyOf(pdu)).problem == smpp::Status::ok || isRelayed(command),
                "what comes can be read");
        if (command == Command::deliverSm) lastDelivered_ = get32(pdu, 12);
    }
    // What a connector has answered is passed on as it is.
    bool isRelayed(Command command) const { return smpp::isResponse(command) && wasMadeUp_; }

    // --- the connectors ---------------------------------------------------------------------

    void answer(Gate& gate, fuzz::FuzzInput& input) {
        if (gate.submissions.empty()) return;
        const std::size_t place = input.byte() % gate.submissions.size();
        const auto at = gate.submissions.begin() + static_cast<std::ptrdiff_t>(place);
        const router::Origin origin = at->origin;
        gate.submissions.erase(at);
        const nio::Bytes response = responseTo(origin, input);
        bench_.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            if (response.empty()) {
                origin.refuse(smpp::Status::msgQFul);
            } else {
                origin.answer(response);
            }
        });
    }
    // A whole one, with that sequence number: that is the connector's part.
    nio::Bytes responseTo(const router::Origin& origin, fuzz::FuzzInput& input) {
        const Command command = smpp::responseTo(origin.command);
        const std::size_t what = input.upTo(3);
        if (what == 0) return {};
        if (what == 1) wasMadeUp_ = true;
        const std::string_view body =
            what == 1 ? input.take(input.upTo(40)) : smpp::smpptest::bodyOf(command);
        const bool isFine = what != 2;
        return smpp::smpptest::pduOf(command, origin.sequence, isFine ? body : "",
                                     isFine ? smpp::Status::ok : smpp::Status::throttled);
    }
    void refuseAll(Gate& gate) {
        if (gate.submissions.empty()) return;
        bench_.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            for (const auto& submission : std::exchange(gate.submissions, {})) {
                submission.origin.refuse(smpp::Status::sysErr);
            }
        });
    }
    void deliver(unsigned number) {
        router::Delivery delivery;
        const std::string pdu = router::deliverSm(number % 10, "00000000");
        delivery.pdu = std::make_shared<const nio::Bytes>(smpp::smpptest::octets(pdu));
        delivery.source = &source_;
        delivery.sequence = number;
        delivery.command = Command::deliverSm;
        delivery.arrived = nio::Clock::now();
        bench_.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bench_.desk->deliverNow(std::move(delivery));
        });
    }

    Gate first_;
    Gate second_;
    router::NotingEgress source_;
    router::EsmeBench bench_{router::storeInMemory(), {&first_, &second_}};
    std::optional<support::Peer> peer_;
    std::string received_;
    std::size_t pdus_ = 0;
    std::uint32_t lastDelivered_ = 0;
    bool hasFinished_ = false;
    bool wasMadeUp_ = false;
};

void run(fuzz::FuzzInput input) {
    constexpr std::array<const char*, 3> binds{"00000009", "00000001", "00000002"};
    Scene scene(binds[input.upTo(2)]);
    for (int steps = 0; steps < mostSteps && !input.isEmpty(); ++steps) {
        scene.step(input);
        scene.check();
    }
    scene.finishAll();
}

const fuzz::FuzzTarget target("esme_link", run);

}  // namespace
