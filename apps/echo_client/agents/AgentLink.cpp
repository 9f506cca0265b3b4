#include "echo_client/agents/AgentLink.h"

#include <nio/loop/SelectorThread.h>

namespace load {

using std::chrono::seconds;

namespace {

constexpr seconds connectPatience{10};
constexpr seconds greetPatience{10};
// The agent may have to look the server's name up.
constexpr seconds preparePatience{30};
constexpr seconds pingPeriod{2};
constexpr seconds pongPatience{20};

nio::ConnectorOptions connectorOptions(std::shared_ptr<nio::Resolver> resolver) {
    nio::ConnectorOptions options;
    options.timeout = connectPatience;
    options.resolver = std::move(resolver);
    return options;
}

std::shared_ptr<const nio::StreamOptions> streamOptions() {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->lingerTimeout = std::chrono::milliseconds(2'000);
    return stream;
}

}  // namespace

AgentLink::AgentLink(nio::SelectorThread& thread, Wish wish,
                     std::shared_ptr<nio::Resolver> resolver)
    : thread_(thread),
      wish_(std::move(wish)),
      connector_(std::in_place, thread, static_cast<nio::ConnectorListener&>(*this),
                 connectorOptions(std::move(resolver))),
      patience_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          timeIsUp();
      }) {}

AgentLink::~AgentLink() = default;

// --- posted calls ---------------------------------------------------------------------------

// Refused only by a dispatcher that has stopped, when nobody cares any more.
void AgentLink::post(void (AgentLink::*step)()) {
    (void)thread_.invokeLater([this, step] {
        nio::onDispatcher.assertCurrent();
        (this->*step)();
    });
}

std::future<nio::Result<AgentLink::Opened>> AgentLink::open() {
    post(&AgentLink::connectNow);
    return opened_.get_future();
}

void AgentLink::giveUpOpening(const std::string& reason) {
    (void)thread_.invokeLater([this, reason] {
        nio::onDispatcher.assertCurrent();
        if (phase_ < Phase::ready) fail(reason);
    });
}

void AgentLink::listen(LoadWorkerListener& listener, std::size_t first) {
    (void)thread_.invokeLater([this, &listener, first] {
        nio::onDispatcher.assertCurrent();
        listener_ = &listener;
        first_ = first;
        if (phase_ == Phase::over) tellLost();
    });
}

// What the agent is still busy with when asked again comes with that one answer. A worker that has
// finished has nothing to say any more.
void AgentLink::order(wire::Order::What what, std::size_t worker) {
    (void)thread_.invokeLater([this, what, worker] {
        nio::onDispatcher.assertCurrent();
        if (phase_ != Phase::ready || workers_[worker].finished) return;
        const bool report = what == wire::Order::What::report;
        if (report && std::exchange(workers_[worker].asked, true)) return;
        if (report) ++workers_[worker].reportsDue;
        say(wire::write(wire::Order{what, worker}));
    });
}

void AgentLink::send(std::size_t worker, const LoadSchedule& schedule) {
    (void)thread_.invokeLater([this, worker, schedule] {
        nio::onDispatcher.assertCurrent();
        if (phase_ != Phase::ready) return;
        say(wire::write(wire::Send{worker,
                                   {clock_.toTheirs(schedule.begin), clock_.toTheirs(schedule.from),
                                    clock_.toTheirs(schedule.to)}}));
    });
}

std::future<void> AgentLink::close() {
    post(&AgentLink::closeNow);
    return closed_.get_future();
}

void AgentLink::closeNow() {
    listener_ = nullptr;
    closing_ = true;
    fail("run cancelled");
    if (connection_ == nullptr) closed_.set_value();
}

// --- the connection -------------------------------------------------------------------------

void AgentLink::connectNow() {
    if (phase_ != Phase::fresh) return;
    enter(Phase::connecting);
    connector_->connectNow(wish_.agent.host, wish_.agent.port);
}

void AgentLink::connectionEstablished(nio::Connector&, nio::SocketChannel channel) {
    AgentFraming framing;
    framing.admit();
    auto handler =
        makeAgentConnection(std::move(channel), framing, shared_from_this(), streamOptions());
    const auto registered = thread_.registerChannelNow(std::move(handler), nio::Interest::read);
    if (!registered) fail(registered.error().code().message());
}

void AgentLink::connectionFailed(nio::Connector&, const nio::Error& error) {
    fail(error.code().message());
}

void AgentLink::opened(Connection& connection) {
    connection_ = &connection;
    enter(Phase::greeting);
    say(wire::write(wire::Hello{wire::version, wish_.token}));
}

void AgentLink::peerFinished(Connection& connection) {
    fail("connection lost");
    connection.closeAfterFlush();
}

// What it was in detail is no other thing to its user.
void AgentLink::closed(const std::optional<nio::Error>&) {
    connection_ = nullptr;
    fail("connection lost");
    if (closing_) closed_.set_value();
}

void AgentLink::say(const std::string& message) {
    if (connection_ != nullptr) connection_->send(message);
}

// --- what the agent says --------------------------------------------------------------------

void AgentLink::packetArrived(nio::ByteView packet) {
    if (phase_ == Phase::over) return;
    auto message = wire::readFromAgent(packet);
    if (!message) return fail("invalid message: " + message.error().context());
    std::visit(
        [this](auto& said) {
            nio::onDispatcher.assertCurrent();
            hear(said);
        },
        message.value());
}

void AgentLink::hear(wire::Refused& refused) {
    fail("refused: " + refused.reason);
}

void AgentLink::hear(wire::Welcome& welcome) {
    if (phase_ != Phase::greeting) return fail("unexpected message: welcome");
    if (welcome.version != wire::version) return fail("incompatible protocol version");
    enter(Phase::measuring);
    ping();
}

void AgentLink::hear(wire::Pong& pong) {
    if (!pinged_ || pong.number != pings_) return fail("unexpected message: pong");
    clock_.add(*std::exchange(pinged_, std::nullopt), pong.clock, nio::Clock::now());
    if (phase_ != Phase::measuring) return;
    if (clock_.count() < ClockOffset::remembered) return ping();
    enter(Phase::preparing);
    say(wire::write(wish_.prepare));
}

void AgentLink::hear(wire::Ready& ready) {
    if (phase_ != Phase::preparing) return fail("unexpected message: ready");
    workers_.resize(ready.workers.size());
    enter(Phase::ready);
    opened_.set_value(Opened{std::move(ready), clock_.roundTrip()});
}

AgentLink::Worker* AgentLink::heard(std::size_t worker) {
    const bool counts = phase_ == Phase::ready && worker < workers_.size() &&
                        !workers_[worker].finished && listener_ != nullptr;
    if (counts) return &workers_[worker];
    fail("invalid message: unknown worker");
    return nullptr;
}

void AgentLink::hear(wire::Connected& connected) {
    Worker* const worker = heard(connected.worker);
    if (worker == nullptr) return;
    if (std::exchange(worker->connected, true)) return fail("unexpected message: connected");
    listener_->workerConnected(first_ + connected.worker, connected.made);
}

void AgentLink::hear(wire::Reported& reported) {
    Worker* const worker = heard(reported.worker);
    if (worker == nullptr) return;
    if (worker->reportsDue == 0) return fail("unexpected message: reported");
    --worker->reportsDue;
    worker->asked = false;
    listener_->workerReported(first_ + reported.worker, std::move(reported.figures));
}

void AgentLink::hear(wire::Finished& finished) {
    Worker* const worker = heard(finished.worker);
    if (worker == nullptr) return;
    worker->finished = true;
    listener_->workerFinished(first_ + finished.worker);
}

// --- time -----------------------------------------------------------------------------------

void AgentLink::enter(Phase phase) {
    phase_ = phase;
    switch (phase) {
        case Phase::connecting: return patience_.cancel();  // the connector has its own
        case Phase::greeting: return patience_.wakeAfter(greetPatience);
        case Phase::preparing: return patience_.wakeAfter(preparePatience);
        case Phase::ready: return patience_.wakeAfter(pingPeriod);
        case Phase::over: return patience_.cancel();
        case Phase::fresh:
        case Phase::measuring: return;
    }
}

void AgentLink::timeIsUp() {
    if (phase_ != Phase::ready) return fail("timed out");
    if (pinged_ && nio::Clock::now() - *pinged_ > pongPatience) return fail("connection lost");
    if (!pinged_) ping();
    patience_.wakeAfter(pingPeriod);
}

void AgentLink::ping() {
    pinged_ = nio::Clock::now();
    say(wire::write(wire::Ping{++pings_}));
}

// --- the end --------------------------------------------------------------------------------

void AgentLink::fail(const std::string& reason) {
    if (phase_ == Phase::over) return;
    const bool wasOpen = phase_ == Phase::ready;
    enter(Phase::over);
    connector_.reset();
    lost_ = "agent " + wish_.agent.toString() + ": " + reason;
    if (connection_ != nullptr) connection_->closeAfterFlush();
    if (!wasOpen) return opened_.set_value(nio::Error(std::errc::not_connected, lost_));
    if (listener_ != nullptr) tellLost();
}

// To whoever directs the load each of its workers has come to the end that it waits for.
void AgentLink::tellLost() {
    bool told = false;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        Worker& worker = workers_[i];
        if (std::exchange(worker.finished, true)) continue;
        auto figures = std::make_unique<LoadFigures>();
        if (!std::exchange(told, true)) figures->errors.other[lost_] = 1;
        listener_->workerReported(first_ + i, std::move(figures));
        if (!worker.connected) listener_->workerConnected(first_ + i, 0);
        listener_->workerFinished(first_ + i);
    }
}

}  // namespace load
