#include "simulation/router/HttpPeer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <smpp/pdu/PduWriter.h>

namespace simulation {

using nlohmann::json;
using smpp::Status;

namespace {

constexpr std::size_t deepest = 4;        // requests that wait on one connection
constexpr std::size_t septets = 153;      // of a part of several
constexpr std::size_t mostTexts = 6;      // of a request
constexpr std::size_t mostWrongKeys = 2;  // in all fewer than slow down binds
const Status noConnector = router::RouterConfig().router.noConnector;
// "web0:secret", "web1:secret".
constexpr std::array passwords{"d2ViMDpzZWNyZXQ=", "d2ViMTpzZWNyZXQ="};

// Cut wherever it likes.
std::string chunked(const std::string& body, Random& random) {
    std::string all;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t size = 1 + random.below(std::min<std::size_t>(15, body.size() - at));
        all += std::string(1, "0123456789abcdef"[size]) + "\r\n" + body.substr(at, size) + "\r\n";
        at += size;
    }
    return all + "0\r\n\r\n";
}

const json* memberOf(const json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found == object.end() ? nullptr : &*found;
}

std::string textIn(const json& object, const char* name) {
    const json* member = memberOf(object, name);
    return member != nullptr && member->is_string() ? member->get<std::string>() : "";
}

std::vector<std::string> idsIn(const json& result) {
    if (const json* several = memberOf(result, "ids")) {
        return several->get<std::vector<std::string>>();
    }
    const std::string id = textIn(result, "id");
    return id.empty() ? std::vector<std::string>() : std::vector{id};
}

}  // namespace

HttpPeer::HttpPeer(std::size_t account, Ledger& ledger)
    : account_(account),
      ledger_(ledger),
      random_(ledger.scenario.seed * 49'979'687 + account),
      mostLines_(ledger.scenario.websHavePasswords ? 1 : random_.between(1, 3)),
      left_(ledger.scenario.webTexts()),
      wrongKeys_(ledger.scenario.websHavePasswords ? 0 : random_.below(mostWrongKeys + 1)) {}

void HttpPeer::step(bool eager) {
    const bool comes = !ledger_.scenario.waitsForBinds || ledger_.ready || ledger_.stops;
    if (done_ || !comes) return;
    for (Line& line : lines_) step(line, eager);
    std::erase_if(lines_, [](const Line& line) { return line.wire.isOver(); });
    if (left_ > 0 && !ledger_.stops && (eager || random_.chance(300))) {
        Line* line = freeLine();
        if (line == nullptr && lines_.size() < mostLines_) line = connect();
        if (line != nullptr) post(*line);
    }
    done_ = lines_.empty() && (ledger_.stops || (left_ == 0 && hasAll()));
    if (done_) ledger_.machine().countProgress();
}

void HttpPeer::step(Line& line, bool eager) {
    line.wire.pump(random_, eager);
    while (const auto answer = line.wire.next()) answered(line, *answer);
    if (line.wire.isOver()) return lost(line);
    if (random_.chance(ledger_.scenario.hangsUpPerMille)) {
        giveUp(line);
        return line.wire.close(true);
    }
    const bool isOver = left_ == 0 || ledger_.stops;
    if (isOver && line.open.empty() && line.wire.hasSentAll()) line.wire.close(false);
}

HttpPeer::Line* HttpPeer::connect() {
    const auto address = nio::SocketAddress::loopback4(RouterScenario::httpPort);
    auto dialled = ledger_.machine().dial(address);
    if (dialled.refused && ledger_.ready) fail("was refused");
    if (dialled.connection == nullptr) return nullptr;
    HttpWire wire(ledger_.machine(), dialled.connection, Side::client);
    return &lines_.emplace_back(Line{std::move(dialled.connection), std::move(wire)});
}

HttpPeer::Line* HttpPeer::freeLine() {
    const std::size_t depth = random_.between(1, deepest);
    const auto found = std::find_if(lines_.begin(), lines_.end(), [depth](const Line& line) {
        return !line.isLast && line.open.size() < depth;
    });
    const bool wantsAnother = lines_.size() < mostLines_ && random_.chance(300);
    return found == lines_.end() || wantsAnother ? nullptr : &*found;
}

// --- what it says ---------------------------------------------------------------------------

void HttpPeer::post(Line& line) {
    Post post;
    post.isOne = random_.chance(500);
    const std::size_t count = post.isOne ? 1 : 1 + random_.anySize(mostTexts - 1);
    for (std::size_t i = 0; i < std::min(count, left_); ++i) post.texts.push_back(makeText());
    left_ -= post.texts.size();
    line.isLast = random_.chance(50);
    const std::string request = requestOf(post, line.isLast);
    for (const Text& text : post.texts) {
        for (SentMessage* part : text.parts) {
            if (text.isWrong || post.refusal != 0) part->refusal = Status::sysErr;
            sent_.push_back(part);
        }
    }
    line.wire.send(nio::asBytes(request));
    line.open.push_back(std::move(post));
    ledger_.machine().countProgress();
}

std::string HttpPeer::requestOf(Post& post, bool isLast) {
    std::string body = post.isOne ? "" : "{\"messages\": [";
    for (const Text& text : post.texts)
        body += (&text == post.texts.data() ? "" : ", ") + text.json;
    if (!post.isOne) body += "]}";
    std::string credentials = "Bearer " + RouterScenario::keyOf(account_);
    if (ledger_.scenario.websHavePasswords) {
        credentials = "Basic " + std::string(passwords[account_ - RouterScenario::mostEsmes]);
    } else if (wrongKeys_ > 0 && random_.chance(30)) {
        --wrongKeys_;
        credentials += "s";
        post.refusal = 401;
    }
    if (post.refusal == 0 && random_.chance(30)) {
        body.pop_back();
        post.refusal = 400;
    }
    std::string head =
        "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + credentials +
        "\r\nContent-Type: application/json\r\n";
    if (isLast) head += "Connection: close\r\n";
    if (random_.chance(200)) {
        return head + "Transfer-Encoding: chunked\r\n\r\n" + chunked(body, random_);
    }
    return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// The router is to cut a long one where another part begins.
HttpPeer::Text HttpPeer::makeText() {
    constexpr std::array mistakes{", \"priority\": 4", ", \"texte\": 1", ", \"validity\": \"\""};
    Text text;
    text.isWrong = random_.chance(50);
    const std::size_t parts =
        random_.chance(300) ? random_.between(2, RouterScenario::mostParts) : 1;
    const std::string number = "4177" + std::to_string(1000 * (account_ + 1) + ++texts_);
    const bool wantsReceipt = random_.chance(800);
    std::string octets;
    for (std::size_t part = 1; part <= parts; ++part) {
        addPart(text, number, part, parts, wantsReceipt, octets);
    }
    text.json = "{\"from\": \"1" + std::to_string(account_) + "\", \"to\": \"+" + number +
                "\", \"text\": \"" + octets +
                "\", \"receipt\": " + (wantsReceipt ? "true" : "false") +
                (text.isWrong ? mistakes[random_.below(mistakes.size())] : "") + "}";
    return text;
}

void HttpPeer::addPart(Text& text, const std::string& number, std::size_t part, std::size_t parts,
                       bool wantsReceipt, std::string& octets) {
    const std::string name = "w" + number + "p" + std::to_string(part);
    const std::size_t size = part < parts ? septets - name.size() - 1 : random_.anySize(100);
    const std::string own = name + " " + std::string(size, 'x');
    const std::string header =
        parts == 1 ? ""
                   : std::string{5, 0, 3, 0, static_cast<char>(parts), static_cast<char>(part)};
    smpp::PduWriter pdu(smpp::Command::submitSm, Status::ok, 1);
    pdu.text("").number(0).number(1).text("1" + std::to_string(account_));
    pdu.number(1).number(1).text(number).number(parts > 1 ? 0x40 : 0).number(0).number(0);
    pdu.text("").text("").number(wantsReceipt ? 1 : 0).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(header.size() + own.size()));
    pdu.octets(nio::asBytes(header)).octets(nio::asBytes(own));
    SentMessage& message = ledger_.messages[name];
    message = {account_, ledger_.settled, number, pdu.finish()};
    if (parts > 1) message.reference = message.pdu.size() - own.size() - 3;
    text.parts.push_back(&message);
    octets += own;
}

bool HttpPeer::hasAll() const {
    const auto hook = ledger_.scenario.hookOf(account_);
    const bool takes = hook <= RouterScenario::Hook::moody && !mayLackAccount();
    const auto awaitsReceipt = [&](const SentMessage& message, const SentReceipt& receipt) {
        if (receipt.open > 0) return true;
        if (!takes || !receipt.accepted || message.unheard || !hasReceipts(message)) return false;
        const std::string& id = message.whole.empty() ? message.id : message.whole;
        const auto posted = ledger_.posted.find(id);
        return posted == ledger_.posted.end() || posted->second.taken == 0;
    };
    for (const SentMessage* message : sent_) {
        for (const SentReceipt& receipt : message->receipts) {
            if (awaitsReceipt(*message, receipt)) return false;
        }
    }
    return std::none_of(
        ledger_.originated.begin(), ledger_.originated.end(), [&](const auto& each) {
            const OriginatedMessage& message = each.second;
            const bool isOnItsWay = takes && message.accepted && message.delivered == 0;
            return message.esme == account_ && (message.open || isOnItsWay);
        });
}

// The router has them of all parts of the message: then it is to tell of it.
bool HttpPeer::hasReceipts(const SentMessage& message) const {
    const auto isAccepted = [](const SentReceipt& receipt) { return receipt.accepted; };
    return std::all_of(sent_.begin(), sent_.end(), [&](const SentMessage* part) {
        const bool belongs =
            part == &message || (!message.whole.empty() && part->whole == message.whole);
        return !belongs || std::any_of(part->receipts.begin(), part->receipts.end(), isAccepted);
    });
}

// --- what it hears --------------------------------------------------------------------------

void HttpPeer::answered(Line& line, const HttpText& answer) {
    if (line.open.empty()) return fail("got an answer to nothing");
    Post post = std::move(line.open.front());
    line.open.pop_front();
    ++answers_;
    for (const Text& text : post.texts) {
        for (SentMessage* part : text.parts) ++part->answered;
    }
    const int status = answer.status();
    if (status == 401 && mayLackAccount()) return;
    const bool mayBeBusy = ledger_.scenario.websHavePasswords && ledger_.newest > 0;
    if (status == 429 && mayBeBusy) return;
    if (post.refusal != 0) {
        if (status != post.refusal) fail("got " + answer.head + " for a request that is wrong");
        return;
    }
    const json body = json::parse(answer.body, nullptr, false);
    if (!body.is_object()) return fail("got no JSON object: " + answer.head + answer.body);
    checkPost(post, status, body);
}

void HttpPeer::checkPost(Post& post, int status, const json& body) {
    if (post.isOne) {
        const bool isProblem = status != 202 && status != 207;
        const json* problem = isProblem ? &body : memberOf(body, "error");
        if ((status == 202) != (problem == nullptr)) return fail("got " + std::to_string(status));
        if (isProblem && body.value("status", 0) != status) fail("got a problem of another status");
        return checkText(post.texts.front(), body, problem);
    }
    const json* results = memberOf(body, "messages");
    if (results == nullptr || results->size() != post.texts.size()) {
        return fail("got too few results, or too many: " + body.dump());
    }
    bool isAccepted = true;
    for (std::size_t i = 0; i < results->size(); ++i) {
        const json* problem = memberOf((*results)[i], "error");
        isAccepted = isAccepted && problem == nullptr;
        checkText(post.texts[i], (*results)[i], problem);
    }
    if (status != (isAccepted ? 202 : 207)) fail("got " + std::to_string(status));
}

void HttpPeer::checkText(Text& text, const json& result, const json* problem) {
    const std::vector<std::string> ids = idsIn(result);
    if (text.isWrong) {
        const bool isRefused = problem != nullptr && problem->value("status", 0) == 422;
        if (!isRefused || !ids.empty()) fail("sent a text that is wrong, and got " + result.dump());
        return;
    }
    const bool isAll = ids.size() == text.parts.size();
    if (isAll != (problem == nullptr)) return fail("got " + result.dump());
    if (!ids.empty()) {
        const std::string& number = text.parts.front()->number;
        const bool fits = textIn(result, "to") == number && textIn(result, "encoding") == "gsm" &&
                          result.value("parts", std::size_t{0}) == text.parts.size();
        if (!fits) return fail("got another's answer: " + result.dump());
    }
    const SentMessage& first = *text.parts.front();
    for (const SentMessage* part : text.parts) {
        const bool areJoined = part->pdu[part->reference] == first.pdu[first.reference];
        if (isAll && !areJoined) fail("sent a text whose parts do not belong together");
    }
    checkIds(text, ids);
    if (text.parts.size() > 1 && !ids.empty()) checkWhole(text, textIn(result, "id"), isAll);
    if (problem != nullptr) checkProblem(text, *problem);
}

// Those of the parts that were accepted, in their order. Where the answer of an SMSC was lost they
// cannot be told apart.
void HttpPeer::checkIds(Text& text, const std::vector<std::string>& ids) {
    const auto wasAccepted = [](const SentMessage* part) { return part->smscStatus == Status::ok; };
    const auto accepts = std::count_if(text.parts.begin(), text.parts.end(), wasAccepted);
    if (ids.size() > static_cast<std::size_t>(accepts)) {
        return fail("was told that a message was accepted");
    }
    const bool isClear = ids.size() == static_cast<std::size_t>(accepts);
    std::size_t next = 0;
    for (SentMessage* part : text.parts) {
        part->unheard = !isClear;
        if (isClear && wasAccepted(part)) accepted(*part, ids[next++]);
    }
    const bool isExcused = mayLackAccount() || ledger_.isExcused(*text.parts.front());
    if (!isClear && !isExcused) fail("was not told that a message was accepted");
}

void HttpPeer::accepted(SentMessage& message, const std::string& id) {
    message.id = id;
    checkId(message, id);
}

// Where a part was not accepted no receipt tells of the message.
void HttpPeer::checkWhole(Text& text, const std::string& id, bool isAll) {
    checkId(*text.parts.front(), id);
    for (SentMessage* part : text.parts) {
        part->whole = id;
        part->unheard = part->unheard || !isAll;
    }
}

void HttpPeer::checkId(const SentMessage& message, const std::string& id) {
    if (id.size() != 16 || !ledger_.ids.insert(id).second) fail("got the id '" + id + "'");
    const auto posted = ledger_.posted.find(id);
    const bool fits = posted == ledger_.posted.end() ||
                      (posted->second.account == account_ && posted->second.to == message.number);
    if (!fits) fail("got the id of another message's receipt");
}

// The first that an SMSC has said, or the router.
void HttpPeer::checkProblem(const Text& text, const json& problem) {
    const std::string name = textIn(problem, "smpp_status");
    const bool isSaid =
        std::any_of(text.parts.begin(), text.parts.end(), [&](const SentMessage* part) {
            const auto& status = part->smscStatus;
            return status && *status != Status::ok && smpp::nameOf(*status) == name;
        });
    const SentMessage& first = *text.parts.front();
    const bool mayHaveNoLink =
        name == smpp::nameOf(noConnector) &&
        std::any_of(text.parts.begin(), text.parts.end(),
                    [this](const SentMessage* part) { return ledger_.mayHaveNoLink(*part); });
    const bool isExcused = mayLackAccount() || ledger_.isExcused(first) || mayHaveNoLink;
    if (!isSaid && !isExcused) fail("was refused without a reason: " + problem.dump());
}

// --- how it ends ----------------------------------------------------------------------------

void HttpPeer::lost(Line& line) {
    const bool isExcused =
        ledger_.stops || ledger_.scheduler.clockHasJumped() || !line.connection->excuse().empty();
    const bool isOrderly = line.isLast && line.open.empty();
    if (!isExcused && !isOrderly) {
        fail(line.open.empty() ? "was cut off" : "was cut off before it was answered");
    }
    giveUp(line);
    line.wire.close(false);
}

void HttpPeer::giveUp(Line& line) {
    for (const Post& post : line.open) {
        for (const Text& text : post.texts) {
            for (SentMessage* part : text.parts) part->unheard = true;
        }
    }
    line.open.clear();
}

std::string HttpPeer::toString() const {
    std::size_t open = 0;
    for (const Line& line : lines_) open += line.open.size();
    return RouterScenario::nameOf(account_) + " (" + std::to_string(lines_.size()) + " lines, " +
           std::to_string(texts_) + " of " + std::to_string(ledger_.scenario.webTexts()) +
           " sent, " + std::to_string(answers_) + " answers, " + std::to_string(open) + " open)";
}

}  // namespace simulation
