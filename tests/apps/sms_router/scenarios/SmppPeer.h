// One end of an SMPP connection, in the hands of a test: it sends what the test says and no more,
// and waits for what the test expects.
//
//     SmppPeer esme(router.address());
//     EXPECT_EQ(esme.bind({.systemId = "esme1"}), Status::ok);
//     const std::uint32_t sent = esme.submit({.text = "hello"});
//     EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
//
// Thread: one at a time.
// Errors: std::runtime_error where something else came than what was expected, where the peer has
// ended the connection, and where nothing came within `patience`.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <nio/sys/SocketAddress.h>
#include <nio/sys/UniqueFd.h>

#include "apps/sms_router/scenarios/Pdus.h"

namespace router::scenarios {

inline constexpr std::chrono::seconds patience{120};

// How octets get there and back.
class Stream {
  public:
    virtual ~Stream() = default;
    // All of them, or std::runtime_error.
    virtual void send(nio::ByteView octets) = 0;
    // Appends what comes next, at least one octet; false at the end, also after a reset.
    virtual bool receive(nio::Bytes& into) = 0;
    virtual int fd() const = 0;
};

// Connects to `address`.
nio::UniqueFd connectTo(const nio::SocketAddress& address);
std::unique_ptr<Stream> plainStream(nio::UniqueFd connection);

class SmppPeer {
  public:
    explicit SmppPeer(const nio::SocketAddress& address);
    explicit SmppPeer(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

    // --- to the other side
    void send(nio::ByteView octets) { stream_->send(octets); }
    std::uint32_t nextSequence() { return ++sequence_; }
    // These give their sequence number.
    std::uint32_t submit(const Message& message);
    std::uint32_t deliver(const Message& message);
    // Answers a request: ok, or a status; with this message_id where the answer has one.
    void answer(const OwnedPdu& request, std::string_view id = "");
    void refuse(const OwnedPdu& request, Status status);

    // --- from the other side
    // The next PDU, whatever it is.
    OwnedPdu next();
    // The next PDU, which must be this.
    OwnedPdu expect(Command command);
    // The next PDU, which must be the answer to the request with this number.
    OwnedPdu expectAnswer(std::uint32_t sequence);
    // Whether nothing has come but the answer to an enquire_link of ours: all that we have sent was
    // looked at.
    bool nothingArrives();
    // Whether the connection ends with nothing more from the peer.
    bool closedByPeer();
    // The next PDU, or nothing where the connection has ended.
    std::optional<OwnedPdu> nextOrEnd();

    // --- both
    // Sends a whole request, and gives what comes next.
    OwnedPdu ask(nio::ByteView request);
    Status bind(const Binding& binding = {});
    // unbind, its answer, the end.
    void unbind();
    // Ends the connection at once.
    void close() { stream_.reset(); }
    bool isOpen() const { return stream_ != nullptr; }
    // To wait for it together with others; -1 once it has ended.
    int fd() const { return ended_ ? -1 : stream_->fd(); }

  private:
    std::optional<nio::Bytes> takeWhole();

    std::unique_ptr<Stream> stream_;
    nio::Bytes unread_;
    std::deque<OwnedPdu> early_;  // came while something else was waited for
    std::uint32_t sequence_ = 0;
    bool ended_ = false;
};

}  // namespace router::scenarios
