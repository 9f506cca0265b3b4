#include "simulation/router/AdminPeer.h"

#include <charconv>

namespace simulation {

namespace {

constexpr std::array<const char*, 7> requestLines{"GET /healthz",
                                                  "GET /metrics",
                                                  "GET /status.json",
                                                  "GET /explain?account=esme0&from=1&to=41791000",
                                                  "POST /reload",
                                                  "POST /connectors/NAME/stop",
                                                  "POST /connectors/NAME/start"};
constexpr std::string_view headEnd = "\r\n\r\n";

int statusOf(std::string_view head) {
    constexpr std::string_view version = "HTTP/1.1 ";
    int status = 0;
    if (!head.starts_with(version)) return 0;
    std::from_chars(head.data() + version.size(), head.data() + head.size(), status);
    return status;
}

std::optional<std::size_t> lengthOf(std::string_view head) {
    constexpr std::string_view name = "Content-Length: ";
    const std::size_t at = head.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t length = 0;
    std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
    return length;
}

}  // namespace

AdminPeer::AdminPeer(Ledger& ledger)
    : ledger_(ledger),
      random_(ledger.scenario.seed * 15'485'863 + 5),
      done_(ledger.scenario.questions == 0) {}

router::ConfigReading AdminPeer::readConfig() {
    ledger_.machine().countProgress();
    wasWrong_ = random_.chance(ledger_.scenario.mistakesPerMille);
    if (wasWrong_) return {nullptr, {{3, "it is wrong"}}, {}};
    read_ = ++ledger_.newest;
    return {ledger_.scenario.config(*read_), {}, {}};
}

// --- what it asks ---------------------------------------------------------------------------

void AdminPeer::step(bool eager) {
    if (done_ || (!ledger_.ready && !ledger_.stops)) return;
    if (wakesAt_ && ledger_.machine().now() < *wakesAt_) return;
    wakesAt_.reset();
    if (connection_ == nullptr) return connect();
    if (eager || random_.chance(500)) write(eager);
    if (eager || random_.chance(500)) read(eager);
}

void AdminPeer::connect() {
    const auto address = nio::SocketAddress::loopback4(RouterScenario::adminPort);
    auto dialled = ledger_.machine().dial(address);
    if (dialled.refused && !ledger_.stops) fail("was refused");
    if (dialled.refused) {
        done_ = true;
        return ledger_.machine().countProgress();
    }
    connection_ = std::move(dialled.connection);
    if (connection_ == nullptr) return;
    question_ = drawQuestion();
    read_.reset();
    out_ = requestLine();
    const bool isPost = out_.starts_with("POST");
    out_ += " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    out_ += isPost ? "Content-Length: 0\r\n\r\n" : "\r\n";
    in_.clear();
    ledger_.machine().countProgress();
}

AdminPeer::Question AdminPeer::drawQuestion() {
    if (random_.chance(ledger_.scenario.reloadsPerMille)) return Question::reload;
    if (random_.chance(ledger_.scenario.switchesPerMille)) {
        return random_.chance(300) ? Question::stop : Question::start;
    }
    return static_cast<Question>(random_.below(4));
}

std::string AdminPeer::requestLine() {
    std::string line = requestLines[static_cast<std::size_t>(question_)];
    constexpr std::string_view name = "NAME";
    const std::size_t at = line.find(name);
    if (at == std::string::npos) return line;
    const std::size_t smsc = random_.below(ledger_.scenario.smscs);
    ledger_.switched[smsc] = true;
    return line.replace(at, name.size(), RouterScenario::smscName(smsc));
}

void AdminPeer::write(bool eager) {
    if (out_.empty()) return;
    const std::size_t size = eager ? out_.size() : 1 + random_.below(out_.size());
    const nio::IoResult sent = connection_->send(Side::client, nio::asBytes(out_).first(size));
    if (!sent.isDone()) return;
    out_.erase(0, sent.bytes);
    ledger_.machine().countProgress();
}

void AdminPeer::read(bool eager) {
    const std::size_t most = eager ? 64 * 1024 : 1 + random_.anySize(2000);
    nio::Bytes into(std::min(most, connection_->unread(Side::client)));
    const nio::IoResult got = connection_->receive(Side::client, into);
    if (got.status == nio::IoStatus::wouldBlock) return;
    ledger_.machine().countProgress();
    if (!got.isDone()) return ended();
    in_ += nio::asText(nio::ByteView(into).first(got.bytes));
}

// --- what it hears --------------------------------------------------------------------------

bool AdminPeer::isExcused() const {
    return ledger_.stops || ledger_.scheduler.clockHasJumped() || !connection_->excuse().empty();
}

void AdminPeer::ended() {
    const std::size_t end = in_.find(headEnd);
    const bool hasHead = end != std::string::npos;
    const std::string_view head = std::string_view(in_).substr(0, hasHead ? end : 0);
    const std::string_view body =
        hasHead ? std::string_view(in_).substr(end + headEnd.size()) : std::string_view();
    const bool isWhole = hasHead && lengthOf(head) == body.size();
    if (isWhole) {
        check(statusOf(head), body);
    } else if (!isExcused()) {
        fail("was not answered: " + in_);
    }
    next();
}

void AdminPeer::check(int status, std::string_view body) {
    if (question_ == Question::reload) return checkReload(status, body);
    const bool mayBeUnknown =
        question_ > Question::reload && status == 404 && mayLackSomeConnector();
    if (status != 200 && !mayBeUnknown && !isExcused()) {
        return fail("was answered " + std::to_string(status) + ": " + std::string(body));
    }
}

bool AdminPeer::mayLackSomeConnector() const {
    for (std::size_t i = 0; i < ledger_.scenario.smscs; ++i) {
        if (ledger_.mayLackConnector(i)) return true;
    }
    return false;
}

void AdminPeer::checkReload(int status, std::string_view body) {
    if (status == 200) {
        if (wasWrong_) fail("was told that a mistake is in force");
        const bool byAll = body.find("does not answer") == std::string_view::npos;
        if (byAll) ledger_.settled = ledger_.newest;
        return;
    }
    if (status == 422 && read_) ledger_.refused.insert(*read_);
    const bool isExpected = wasWrong_ || !ledger_.machine().faults().struck().empty();
    if (status == 422 && isExpected) return;
    if (!isExcused()) fail("was answered " + std::to_string(status) + ": " + std::string(body));
}

void AdminPeer::next() {
    connection_->close(Side::client, false);
    connection_ = nullptr;
    done_ = ++asked_ >= ledger_.scenario.questions;
    if (random_.chance(500)) {
        wakesAt_ = ledger_.machine().now() + std::chrono::milliseconds(random_.below(1500));
    }
}

std::string AdminPeer::toString() const {
    return std::string("administrator (") + (done_ ? "done, " : "") + std::to_string(asked_) +
           " of " + std::to_string(ledger_.scenario.questions) + " asked, " +
           requestLines[static_cast<std::size_t>(question_)] + ")";
}

}  // namespace simulation
