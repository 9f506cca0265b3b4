#include "echo_client/agents/AgentSession.h"

namespace load {

namespace {

constexpr const char* wrongToken = "wrong token";

// As long as `given` is, however much of it is right.
bool matches(const std::string& known, const std::string& given) {
    volatile unsigned difference = known.size() == given.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto expected = static_cast<unsigned char>(known[i % known.size()]);
        difference = difference | (expected ^ static_cast<unsigned char>(given[i]));
    }
    return difference == 0;
}

// A Unix-domain path may hold anything.
std::string oneLine(std::string text) {
    for (char& c : text) {
        if (c < ' ' || c > '~') c = '?';
    }
    return text;
}

}  // namespace

AgentSession::~AgentSession() = default;

// --- the connection -------------------------------------------------------------------------

void AgentSession::opened(Connection& connection) {
    connection_ = &connection;
    const auto peer = connection.channel().peerAddress();
    peer_ = peer ? peer.value().toString() : "somebody";
    desk_.gate->enterAnyway();
    permit_ = nio::ConnectionPermit(desk_.gate);
    place_ = desk_.places->enter(peer ? peer.value().host() : "").value();
    place_.offer(connection.handle());
    patience_.emplace(connection.dispatcher().deadlines(), [this] {
        nio::onDispatcher.assertCurrent();
        refuse("timed out waiting for hello");
    });
    patience_->wakeAfter(desk_.options.helloTimeout);
}

void AgentSession::packetArrived(nio::ByteView packet) {
    if (isWrong_) return;
    welcome_ ? serve(packet) : greet(packet);
}

void AgentSession::peerFinished(Connection& connection) {
    if (isWrong_) return;  // it keeps its place as long as the others
    leave();
    connection.closeAfterFlush();
}

void AgentSession::closed(const std::optional<nio::Error>& reason) {
    if (reason && !reason->is(nio::Errc::cancelled)) complain(reason->code().message());
    place_ = {};
    permit_.release();
    leave();
    connection_ = nullptr;
}

void AgentSession::say(const std::string& message) {
    if (connection_ != nullptr) connection_->send(message);
}

void AgentSession::refuse(const std::string& reason) {
    complain(reason);
    end(reason);
}

void AgentSession::end(const std::string& reason) {
    say(wire::write(wire::Refused{reason}));
    leave();
    if (connection_ != nullptr) connection_->closeAfterFlush();
}

void AgentSession::refuseLater() {
    isWrong_ = true;
    complain(wrongToken);
    patience_.emplace(connection_->dispatcher().deadlines(), [this] {
        nio::onDispatcher.assertCurrent();
        end(wrongToken);
    });
    patience_->wakeAfter(desk_.options.refusalDelay);
}

void AgentSession::complain(const std::string& reason) {
    const auto more = desk_.complaints.admit(nio::Clock::now());
    if (!more) return;
    desk_.log << "echo-client agent: " + peer_ + ": " + oneLine(reason) + *more + "\n"
              << std::flush;
}

// The runs' dispatcher works in order: the next run begins after the end of this one.
void AgentSession::leave() {
    patience_.reset();
    if (desk_.holder == this) desk_.holder = nullptr;
    asked_.clear();
    if (run_ == nullptr) return;
    (void)desk_.runner.invokeLater([run = std::move(run_)]() mutable { run.reset(); });
}

// --- hello ----------------------------------------------------------------------------------

// Whoever does not know the token learns nothing else, not even what was wrong.
void AgentSession::greet(nio::ByteView packet) {
    const auto message = wire::readToAgent(packet);
    const auto* hello = message ? std::get_if<wire::Hello>(&message.value()) : nullptr;
    if (hello == nullptr || !matches(desk_.options.token, hello->token)) return refuseLater();
    if (hello->version != wire::version) {
        return refuse("incompatible protocol version: this agent has " +
                      std::to_string(wire::version));
    }
    if (desk_.holder != nullptr) return refuse("busy: serving another coordinator");
    desk_.holder = this;
    place_.keep();
    welcome_ = true;
    framing_.admit();
    patience_.reset();
    say(wire::write(wire::Welcome{}));
}

// --- orders ---------------------------------------------------------------------------------

void AgentSession::serve(nio::ByteView packet) {
    const auto message = wire::readToAgent(packet);
    if (!message) return refuse(message.error().context());
    std::visit(
        [this](const auto& order) {
            nio::onDispatcher.assertCurrent();
            obey(order);
        },
        message.value());
}

void AgentSession::obey(const wire::Hello&) {
    refuse("unexpected message: hello");
}

void AgentSession::obey(const wire::Ping& ping) {
    say(wire::write(wire::Pong{ping.number, nio::Clock::now()}));
}

void AgentSession::obey(const wire::Prepare& wish) {
    if (run_ != nullptr) return refuse("unexpected message: prepare");
    nio::SelectorThread& here = connection_->dispatcher();
    std::weak_ptr<AgentSession> self = weak_from_this();
    run_ = std::make_shared<AgentRun>(here, self);
    (void)desk_.runner.invokeLater([run = run_, wish, self, &here, &options = desk_.options] {
        auto ready = run->prepare(wish, options);
        std::string what = ready ? run->toString() : "";
        (void)here.invokeLater([self, ready = std::move(ready), what = std::move(what)] {
            nio::onDispatcher.assertCurrent();
            if (const auto session = self.lock()) session->prepared(ready, what);
        });
    });
}

void AgentSession::prepared(const nio::Result<wire::Ready>& ready, const std::string& what) {
    if (run_ == nullptr) return;  // gone meanwhile
    if (!ready) return refuse(ready.error().context());
    asked_.resize(ready.value().workers.size());
    desk_.log << "echo-client agent: " + peer_ + " runs " + oneLine(what) + "\n" << std::flush;
    say(wire::write(ready.value()));
}

void AgentSession::obey(const wire::Order& order) {
    if (!isWorker(order.worker)) return refuse("unknown worker");
    if (order.what == wire::Order::What::connect) {
        if (asked_[order.worker]) return refuse("unexpected message: connect");
        asked_[order.worker] = true;
    }
    (void)desk_.runner.invokeLater([run = run_, order] { run->obey(order); });
}

void AgentSession::obey(const wire::Send& send) {
    if (!isWorker(send.worker)) return refuse("unknown worker");
    (void)desk_.runner.invokeLater([run = run_, send] { run->send(send); });
}

// --- from the run ---------------------------------------------------------------------------

void AgentSession::workerConnected(std::size_t worker, std::size_t made) {
    say(wire::write(wire::Connected{worker, made}));
}

void AgentSession::workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) {
    say(wire::write(wire::Reported{worker, std::move(figures)}));
}

void AgentSession::workerFinished(std::size_t worker) {
    say(wire::write(wire::Finished{worker}));
}

}  // namespace load
