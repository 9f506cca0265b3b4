#include "smpp_bench/esme/EsmeBind.h"

#include "smpp_bench/esme/EsmeLink.h"
#include "smpp_bench/esme/EsmeRun.h"

namespace smppbench {

using smpp::Status;

namespace {

constexpr std::chrono::milliseconds redialPause{200};

}  // namespace

EsmeBind::EsmeBind(EsmeRun& run, std::size_t account, smpp::Command command)
    : run_(run), account_(account), command_(command), again_(run.thread().deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          dial();
      }) {}

const AccountName& EsmeBind::name() const {
    return run_.options().accounts[account_];
}

std::size_t EsmeBind::unanswered() const {
    return link_ == nullptr ? 0 : link_->unanswered().size();
}

void EsmeBind::dial() {
    refused_ = false;
    nio::ConnectorListener& listener = *this;
    nio::ConnectorOptions options{.keepAlive = run_.options().keepAlive};
    connector_.emplace(run_.thread(), listener, std::move(options));
    connector_->connectNow(run_.server());
}

void EsmeBind::connectionEstablished(nio::Connector&, nio::SocketChannel channel) {
    auto link = std::make_unique<EsmeLink>(std::move(channel), *this);
    link_ = link.get();
    connector_.reset();
    const auto done = run_.thread().registerChannelNow(std::move(link), nio::Interest::read);
    if (done) return run_.linkOpened();
    link_ = nullptr;
    failed(done.error().message());
}

void EsmeBind::connectionFailed(nio::Connector&, const nio::Error& error) {
    const std::string reason = error.message();
    connector_.reset();
    failed(reason);
}

void EsmeBind::failed(const std::string& reason) {
    if (run_.mayReconnect()) return again_.wakeAfter(redialPause);
    run_.bindFailed(reason);
}

void EsmeBind::bindAnswered(Status status) {
    if (bound_ || refused_) return run_.nonsense();
    if (status != Status::ok) {
        refused_ = true;
        link_->closeAfterFlush();
        if (!run_.mayReconnect()) run_.bindFailed(smpp::nameOf(status));
        return;
    }
    bound_ = true;
    run_.bindMade(*this);
}

void EsmeBind::fill() {
    if (!bound_ || command_ == smpp::Command::bindReceiver) return;
    // A send may end the connection.
    while (bound_ && link_->unanswered().size() < run_.options().load.window) {
        const std::optional<std::uint32_t> number = run_.takeNumber();
        if (!number) return;
        const std::uint32_t sequence = link_->unanswered().add(nio::Clock::now());
        link_->send(run_.message(*number, sequence, *this));
    }
}

void EsmeBind::answered(const smpp::Pdu& pdu) {
    const auto sent = link_->unanswered().take(pdu.sequence());
    run_.answered(*this, pdu, sent);
    fill();
}

void EsmeBind::nacked(const smpp::Pdu& pdu) {
    if (!bound_)
        return bindAnswered(pdu.status() == Status::ok ? Status::unknownErr : pdu.status());
    if (link_->unanswered().has(pdu.sequence())) return answered(pdu);
    run_.nonsense();
}

void EsmeBind::delivered(const smpp::Pdu& pdu) {
    run_.delivered(*this, pdu);
}

void EsmeBind::enquired() {
    run_.enquired();
}

void EsmeBind::nonsense() {
    run_.nonsense();
}

void EsmeBind::closed(const std::string& reason) {
    const std::size_t lost = unanswered();
    const bool wasBound = std::exchange(bound_, false);
    link_ = nullptr;
    if (wasBound) run_.bindLost(*this, lost);
    const bool wasRefused = std::exchange(refused_, false);
    const bool neverBound = !wasBound && !wasRefused && !run_.isEnding();
    if (neverBound || run_.mayReconnect()) failed(reason);
    run_.linkClosed();
}

void EsmeBind::unbind() {
    again_.cancel();
    if (bound_) link_->unbind();
}

void EsmeBind::abort() {
    if (link_ != nullptr) link_->abort();
}

}  // namespace smppbench
