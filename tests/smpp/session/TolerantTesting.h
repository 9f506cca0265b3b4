// What the tests of tolerant reading share: a bound session, and what it makes of a request.
#pragma once

#include <optional>

#include "SessionTesting.h"

namespace smpp::smpptest {

inline SessionOptions tolerant(Side side) {
    SessionOptions options = untimed(side);
    options.reading = Reading::tolerant;
    return options;
}

// What a bound session tells its owner, with the octets of the request that arrived.
class Tolerant : public SessionEvents {
  public:
    explicit Tolerant(Side side)
        : session_(std::make_shared<const SessionOptions>(tolerant(side)), *this, Time{0}) {
        if (side == Side::esme) {
            session_.bind({Command::bindTransceiver, "e", "p", "", 0, 0, ""}, Time{0});
            receives(validPdu(Command::bindTransceiverResp, 1));
        } else {
            receives(validPdu(Command::bindTransceiver, 1));
            session_.acceptBind(Time{0});
        }
    }

    void transmit(nio::ByteView octets) override { answer = Header::read(octets)->status; }
    void requestArrived(const Pdu& request) override {
        arrived = std::string(nio::asText(request.bytes().subspan(Header::bytes)));
        message = std::string(nio::asText(request.message()));
        tlvs = std::string(nio::asText(request.tlvs().octets()));
    }
    void responseArrived(const Pdu& response, Cookie) override {
        answer = response.status();
        id = std::string(response.text(Field::messageId));
        arrived = std::string(nio::asText(response.bytes().subspan(Header::bytes)));
    }
    void requestLost(Cookie, Lost, Status status) override { answer = status; }
    void malformedArrived(Status, nio::ByteView) override { ++malformed; }
    void ended(End) override {}
    void receives(const nio::Bytes& pdu) { session_.received({Framed::Kind::pdu, pdu}, Time{0}); }
    void requests(Command command = Command::submitSm) {
        nio::Bytes pdu = validPdu(command, 0);
        (void)session_.request(pdu, 7, Time{0});
    }

    std::optional<std::string> arrived;
    std::string message;
    std::string tlvs;
    std::optional<std::string> id;
    Status answer = Status::ok;
    int malformed = 0;

  private:
    SmppSession session_;
};

inline std::string bodyWith(const std::string& type, const std::string& source,
                            const std::string& validity, const std::string& message) {
    return type + "\0\1\1"s + source + "\0\1\1"s + "2\0\0\0\0\0"s + validity + "\0\0\0\0\0"s +
           message;
}

inline const std::string plain = bodyWith("", "1", "", "\2hi");

// What a session makes of a request with this body, from either side.
struct Read : Tolerant {
    Read(Side reader, const std::string& body) : Tolerant(reader) {
        receives(pduOf(reader == Side::smsc ? Command::submitSm : Command::deliverSm, 9, body));
    }
};

inline constexpr Side bothSides[] = {Side::smsc, Side::esme};

}  // namespace smpp::smpptest
