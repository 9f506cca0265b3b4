#include "apps/sms_router/scenarios/SmppPeer.h"

#include <array>
#include <stdexcept>

#include <nio/sys/Kernel.h>

#include <smpp/pdu/PduFramer.h>

namespace router::scenarios {

namespace {

void await(int fd, short events, const char* what) {
    const nio::TimePoint end = nio::kernel::now() + patience;
    while (nio::kernel::now() < end) {
        pollfd entry{fd, events, 0};
        if (nio::kernel::waitPoll({&entry, 1}, patience).orThrow() > 0) return;
    }
    throw std::runtime_error(std::string("patience is over: ") + what);
}

class PlainStream final : public Stream {
  public:
    explicit PlainStream(nio::UniqueFd fd) : fd_(std::move(fd)) {}

    void send(nio::ByteView octets) override {
        while (!octets.empty()) {
            const nio::IoResult sent = nio::kernel::send(fd_.get(), octets);
            if (sent.isFailed()) sent.error("test peer").raise();
            octets = octets.subspan(sent.bytes);
            if (!octets.empty()) await(fd_.get(), POLLOUT, "nobody reads");
        }
    }

    bool receive(nio::Bytes& into) override {
        std::array<nio::Byte, 64 * 1024> block;
        for (;;) {
            const nio::IoResult result = nio::kernel::receive(fd_.get(), block);
            if (result.status == nio::IoStatus::wouldBlock) {
                await(fd_.get(), POLLIN, "nothing arrives");
                continue;
            }
            if (!result.isDone()) return false;
            into.insert(into.end(), block.data(), block.data() + result.bytes);
            return true;
        }
    }

    int fd() const override { return fd_.get(); }

  private:
    nio::UniqueFd fd_;
};

std::string inWords(const OwnedPdu& pdu) {
    return std::string(smpp::nameOf(pdu.command())) +
           (smpp::isResponse(pdu.command()) ? " (response) " : " ") +
           std::to_string(pdu.sequence()) + " " + smpp::nameOf(pdu.status());
}

}  // namespace

nio::UniqueFd connectTo(const nio::SocketAddress& address) {
    nio::UniqueFd fd = nio::kernel::openStreamSocket(address.family()).orThrow();
    (void)nio::kernel::setNoDelay(fd.get(), true).ok();
    nio::IoResult result = nio::kernel::connect(fd.get(), address);
    if (result.status == nio::IoStatus::wouldBlock) {
        await(fd.get(), POLLOUT, "no connection");
        result = nio::kernel::connectOutcome(fd.get());
    }
    // A slow test may find a connection that the router has reset already: reads say so.
    const bool wasReset = result.code == std::errc::connection_reset;
    if (result.isFailed() && !wasReset) result.error("test peer to " + address.toString()).raise();
    return fd;
}

std::unique_ptr<Stream> plainStream(nio::UniqueFd connection) {
    return std::make_unique<PlainStream>(std::move(connection));
}

SmppPeer::SmppPeer(const nio::SocketAddress& address) : SmppPeer(plainStream(connectTo(address))) {}

std::uint32_t SmppPeer::submit(const Message& message) {
    const std::uint32_t sequence = nextSequence();
    send(submitSm(sequence, message));
    return sequence;
}

std::uint32_t SmppPeer::deliver(const Message& message) {
    const std::uint32_t sequence = nextSequence();
    send(deliverSm(sequence, message));
    return sequence;
}

void SmppPeer::answer(const OwnedPdu& request, std::string_view id) {
    const Command command = smpp::responseTo(request.command());
    const bool hasId = command == Command::submitSmResp || command == Command::deliverSmResp ||
                       command == Command::dataSmResp;
    send(hasId ? withText(command, request.sequence(), id) : bare(command, request.sequence()));
}

void SmppPeer::refuse(const OwnedPdu& request, Status status) {
    send(smpp::answer(request.command(), status, request.sequence()));
}

std::optional<nio::Bytes> SmppPeer::takeWhole() {
    const smpp::Framed framed = smpp::PduFramer(1024 * 1024).next(unread_);
    if (framed.kind == smpp::Framed::Kind::needMore) return std::nullopt;
    if (framed.kind == smpp::Framed::Kind::badLength) {
        throw std::runtime_error("a PDU with a bad command_length came");
    }
    nio::Bytes whole = nio::copyOf(framed.bytes);
    unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(whole.size()));
    return whole;
}

std::optional<OwnedPdu> SmppPeer::nextOrEnd() {
    if (!early_.empty()) {
        OwnedPdu first = early_.front();
        early_.pop_front();
        return first;
    }
    for (;;) {
        if (auto whole = takeWhole()) return OwnedPdu(std::move(*whole));
        ended_ = ended_ || !stream_->receive(unread_);
        if (!ended_) continue;
        if (!unread_.empty()) throw std::runtime_error("the connection ended within a PDU");
        return std::nullopt;
    }
}

OwnedPdu SmppPeer::next() {
    auto pdu = nextOrEnd();
    if (!pdu) throw std::runtime_error("the peer has ended the connection");
    return *pdu;
}

OwnedPdu SmppPeer::expect(Command command) {
    OwnedPdu pdu = next();
    if (pdu.command() == command) return pdu;
    throw std::runtime_error("expected " + std::string(smpp::nameOf(command)) +
                             (smpp::isResponse(command) ? " (response)" : "") + ", but " +
                             inWords(pdu) + " came");
}

OwnedPdu SmppPeer::expectAnswer(std::uint32_t sequence) {
    OwnedPdu pdu = next();
    if (smpp::isResponse(pdu.command()) && pdu.sequence() == sequence) return pdu;
    throw std::runtime_error("expected the answer to " + std::to_string(sequence) + ", but " +
                             inWords(pdu) + " came");
}

bool SmppPeer::nothingArrives() {
    const std::uint32_t ours = nextSequence();
    send(bare(Command::enquireLink, ours));
    std::deque<OwnedPdu> came = std::move(early_);
    early_.clear();
    for (;;) {
        OwnedPdu pdu = next();
        if (pdu.command() == Command::enquireLinkResp && pdu.sequence() == ours) break;
        came.push_back(std::move(pdu));
    }
    early_ = std::move(came);
    return early_.empty();
}

bool SmppPeer::closedByPeer() {
    auto pdu = nextOrEnd();
    if (!pdu) return true;
    early_.push_back(std::move(*pdu));
    return false;
}

OwnedPdu SmppPeer::ask(nio::ByteView request) {
    send(request);
    return next();
}

Status SmppPeer::bind(const Binding& binding) {
    send(bindPdu(nextSequence(), binding));
    return expectAnswer(sequence_).status();
}

void SmppPeer::unbind() {
    send(bare(Command::unbind, nextSequence()));
    expectAnswer(sequence_);
    if (!closedByPeer()) throw std::runtime_error("something came behind the unbind's answer");
    close();
}

}  // namespace router::scenarios
