// What the tests of sessions share: PDUs typed from the specification's tables, and an owner that
// writes down what a session tells it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <smpp/session/SmppSession.h>

namespace smpp::smpptest {

using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace std::string_view_literals;
using std::chrono::milliseconds;

using Lines = std::vector<std::string>;

inline void put32(nio::Bytes& bytes, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes.push_back(static_cast<nio::Byte>((value >> shift) & 0xFF));
    }
}

inline std::uint32_t get32(nio::ByteView bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    }
    return value;
}

// 3.4, 3.2: command_length, command_id, command_status, sequence_number, body.
inline nio::Bytes rawPdu(std::uint32_t length, std::uint32_t command, std::uint32_t status,
                         std::uint32_t sequence, std::string_view body = {}) {
    nio::Bytes bytes;
    for (std::uint32_t word : {length, command, status, sequence}) put32(bytes, word);
    for (char each : body) bytes.push_back(static_cast<nio::Byte>(each));
    return bytes;
}

inline nio::Bytes pduOf(Command command, std::uint32_t sequence, std::string_view body = {},
                        Status status = Status::ok) {
    return rawPdu(static_cast<std::uint32_t>(16 + body.size()), static_cast<std::uint32_t>(command),
                  static_cast<std::uint32_t>(status), sequence, body);
}

// clang-format off

// A body that is right for this command, by the tables of 3.4, 4.
inline std::string_view bodyOf(Command command) {
    switch (command) {
        case Command::bindReceiver:
        case Command::bindTransmitter:
        case Command::bindTransceiver:
            return "esme1\0"
                   "secret1\0"
                   "\0"      // system_type
                   "\x34"    // interface_version
                   "\0\0\0"sv;
        case Command::bindReceiverResp:
        case Command::bindTransmitterResp:
        case Command::bindTransceiverResp:
            return "smsc\0"
                   "\x02\x10\0\x01\x34"sv;  // sc_interface_version
        case Command::outbind:
            return "smsc\0"
                   "secret\0"sv;
        case Command::submitSm:
        case Command::deliverSm:
            return "\0"                      // service_type
                   "\1\1" "447700900000\0"   // source
                   "\1\1" "447700900001\0"   // destination
                   "\0\0\0"                  // esm_class, protocol_id, priority_flag
                   "\0\0"                    // schedule_delivery_time, validity_period
                   "\0\0\0\0"                // to sm_default_msg_id
                   "\2hi"sv;
        case Command::submitMulti:
            return "\0"
                   "\0\0\0"               // source
                   "\1" "\1\0\0" "1\0"    // one destination
                   "\0\0\0"
                   "\0\0"
                   "\0\0\0\0"
                   "\0"sv;
        case Command::dataSm:
            return "\0"
                   "\0\0\0"
                   "\0\0" "1\0"
                   "\0\0\0"sv;  // esm_class, registered_delivery, data_coding
        case Command::querySm: return "17\0" "\0\0\0"sv;
        case Command::cancelSm: return "\0" "17\0" "\0\0\0" "\0\0\0"sv;
        case Command::replaceSm: return "17\0" "\0\0\0" "\0\0" "\0\0" "\0"sv;
        case Command::alertNotification: return "\0\0" "1\0" "\0\0" "2\0"sv;
        case Command::submitSmResp:
        case Command::dataSmResp: return "17\0"sv;
        case Command::deliverSmResp: return "\0"sv;
        case Command::submitMultiResp: return "17\0" "\0"sv;
        case Command::querySmResp: return "17\0" "\0" "\2\0"sv;
        default: return {};
    }
}

// clang-format on

inline nio::Bytes validPdu(Command command, std::uint32_t sequence) {
    return pduOf(command, sequence, bodyOf(command));
}

inline const std::vector<Command>& allCommands() {
    static const std::vector<Command> commands{
        Command::bindReceiver,    Command::bindReceiverResp,
        Command::bindTransmitter, Command::bindTransmitterResp,
        Command::bindTransceiver, Command::bindTransceiverResp,
        Command::outbind,         Command::unbind,
        Command::unbindResp,      Command::submitSm,
        Command::submitSmResp,    Command::submitMulti,
        Command::submitMultiResp, Command::dataSm,
        Command::dataSmResp,      Command::deliverSm,
        Command::deliverSmResp,   Command::querySm,
        Command::querySmResp,     Command::cancelSm,
        Command::cancelSmResp,    Command::replaceSm,
        Command::replaceSmResp,   Command::enquireLink,
        Command::enquireLinkResp, Command::alertNotification,
        Command::genericNack,
    };
    return commands;
}

inline constexpr State allStates[] = {State::open,    State::outbound, State::boundTx,
                                      State::boundRx, State::boundTrx, State::unbound,
                                      State::closed};

// "submit_sm_resp 7 ESME_ROK".
inline std::string told(nio::ByteView pdu) {
    const auto command = static_cast<Command>(get32(pdu, 4));
    const auto status = static_cast<Status>(get32(pdu, 8));
    std::ostringstream line;
    line << nameOf(command) << " " << get32(pdu, 12);
    if (isResponse(command)) line << " " << nameOf(status);
    return line.str();
}

inline std::string_view nameOf(Lost how) {
    switch (how) {
        case Lost::timedOut: return "timedOut";
        case Lost::disconnected: return "disconnected";
        case Lost::nacked: return "nacked";
    }
    return "unknown";
}

// A session and its owner. Every event is a line; `then` is called behind it.
class Owned final : public SessionEvents {
  public:
    explicit Owned(SessionOptions options)
        : session(std::make_shared<const SessionOptions>(std::move(options)), *this, now) {}

    void transmit(nio::ByteView octets) override {
        sent = nio::copyOf(octets);
        line("> " + told(octets));
    }
    void bindRequested(const Pdu& bind) override { line("bindRequested " + told(bind.bytes())); }
    void bindAnswered(Status status, const Pdu* answer) override {
        line("bindAnswered " + smpp::nameOf(status) + (answer ? "" : " unread"));
    }
    void outbindArrived(const Pdu& outbind) override {
        line("outbindArrived " + std::string(outbind.text(Field::systemId)));
    }
    void requestArrived(const Pdu& request) override { line("request " + told(request.bytes())); }
    void responseArrived(const Pdu& answer, Cookie cookie) override {
        line("response " + told(answer.bytes()) + " to " + std::to_string(cookie));
    }
    void answeredLate(const Pdu& answer, Cookie cookie) override {
        line("late " + told(answer.bytes()) + " to " + std::to_string(cookie));
    }
    void requestLost(Cookie cookie, Lost how, Status status) override {
        std::string text = "lost " + std::to_string(cookie) + " " + std::string(nameOf(how));
        if (how == Lost::nacked) text += " " + smpp::nameOf(status);
        line(text);
    }
    void ended(End end) override { line("ended: " + std::string(describe(end))); }

    void receives(const nio::Bytes& pdu) { session.received({Framed::Kind::pdu, pdu}, now); }
    void receives(Command command, std::uint32_t sequence) {
        receives(validPdu(command, sequence));
    }
    std::uint32_t requests(Command command, Cookie cookie) {
        nio::Bytes pdu = validPdu(command, 0);
        return session.request(pdu, cookie, now);
    }
    void passes(milliseconds time) {
        now += time;
        session.tick(now);
    }
    // The lines since the last call.
    Lines news() { return std::exchange(lines_, {}); }

    Time now{0};
    SmppSession session;
    nio::Bytes sent;
    std::function<void(const std::string&)> then;

  private:
    void line(std::string text) {
        lines_.push_back(text);
        if (then) then(text);
    }

    Lines lines_;
};

inline SessionOptions optionsOf(Side side) {
    SessionOptions options;
    options.side = side;
    options.systemId = side == Side::smsc ? "smsc" : "esme1";
    return options;
}

// Without timers, unless a test sets one.
inline SessionOptions untimed(Side side) {
    SessionOptions options = optionsOf(side);
    options.timers = {0ms, 0ms, 0ms, 0ms, 0ms};
    return options;
}

// Ours are waited for ten seconds; no other timer runs.
inline SessionOptions whoseAnswersAreTimed(Side side) {
    SessionOptions options = untimed(side);
    options.timers.response = 10s;
    return options;
}

// Takes an open session to BOUND_x; what was said is forgotten.
inline void bindAs(Owned& owned, Command kind) {
    if (owned.session.side() == Side::smsc) {
        owned.receives(kind, 1);
        owned.session.acceptBind(owned.now);
    } else {
        owned.session.bind({kind, "esme1", "secret1", "", 0, 0, ""}, owned.now);
        owned.receives(responseTo(kind), get32(owned.sent, 12));
    }
    owned.news();
}

}  // namespace smpp::smpptest
