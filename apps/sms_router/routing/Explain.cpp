#include "sms_router/routing/Explain.h"

#include <charconv>

#include "sms_router/model/SourceAddress.h"
#include "sms_router/routing/RouteMatch.h"
#include "sms_router/routing/RouteStory.h"

namespace router {

namespace {

using Lines = std::vector<std::string>;

bool tellPermission(const AccountConfig& account, const char* what,
                    const std::vector<AddressPattern>& patterns, std::string_view address,
                    const AddressForms& forms, Lines& lines) {
    if (permits(patterns, forms)) return true;
    lines.push_back("account " + story::quoted(account.systemId) + " may not use " + what + " " +
                    story::quoted(address) + ": permitted are " + story::list(patterns));
    return false;
}

bool tellAccount(const RouterConfig& config, const MessageFacts& facts, Lines& lines) {
    if (facts.account.empty()) {
        lines.push_back("no account given: permissions are not checked");
        return true;
    }
    const auto found = config.accountByName.find(facts.account);
    if (found == config.accountByName.end()) {
        lines.push_back("account " + story::quoted(facts.account) + " is unknown");
        return false;
    }
    const AccountConfig& account = config.accounts[found->second];
    const MessageForms forms(facts, config.numbers);
    const bool source =
        tellPermission(account, "source", account.sources, facts.source, forms.source, lines);
    const bool isNumber = !account.digitsOnly || isPlainNumber(facts.destination);
    if (!isNumber) {
        lines.push_back("account " + story::quoted(account.systemId) + " may not use destination " +
                        story::quoted(facts.destination) + ": digits_only");
    }
    const bool destination = tellPermission(account, "destination", account.destinations,
                                            facts.destination, forms.destination, lines) &&
                             isNumber;
    if (source && destination)
        lines.push_back("account " + story::quoted(account.systemId) + " may send it");
    return source && destination;
}

void tellRewrite(const char* what, std::string_view address, const AddressRewrite& rewrite,
                 Lines& lines) {
    std::string text;
    if (const auto result = rewritten(address, rewrite)) text += " " + story::quoted(*result);
    if (rewrite.ton) text += " ton " + std::to_string(*rewrite.ton);
    if (rewrite.npi) text += " npi " + std::to_string(*rewrite.npi);
    if (!text.empty()) lines.push_back(std::string(what) + " becomes" + text);
}

Lines explainFromSmsc(const Router& router, const ExplainRequest& request) {
    const RouterConfig& config = router.config();
    const auto found = config.connectorByName.find(request.connector);
    if (found == config.connectorByName.end()) {
        return {"connector " + story::quoted(request.connector) + " is unknown",
                "=> no such connector"};
    }
    Lines lines;
    const auto account = router.routeMo(found->second, request.source, request.destination, &lines);
    lines.push_back(account ? "=> account " + story::quoted(config.accounts[*account].systemId)
                            : "=> no account: refused with " + smpp::nameOf(config.router.noRoute));
    return lines;
}

}  // namespace

std::vector<std::string> explain(Router& router, const MessageFacts& facts) {
    Lines lines;
    const bool permitted = tellAccount(router.config(), facts, lines);
    const RouteDecision decision = router.route(facts, &lines);
    if (decision.connector && decision.route != nullptr) {
        tellRewrite("source", facts.source, decision.route->rewriteSource, lines);
        tellRewrite("destination", facts.destination, decision.route->rewriteDestination, lines);
    }
    if (!permitted)
        lines.push_back("=> refused: the account may not send it");
    else if (decision.connector)
        lines.push_back("=> connector " +
                        story::quoted(router.config().connectors[*decision.connector].name));
    else
        lines.push_back("=> refused with " + smpp::nameOf(decision.status));
    return lines;
}

std::vector<std::string> explain(Router& router, const ExplainRequest& request) {
    const bool fromSmsc = !request.connector.empty();
    return fromSmsc ? explainFromSmsc(router, request) : explain(router, request.facts());
}

MessageFacts ExplainRequest::facts() const {
    MessageFacts facts;
    facts.account = account;
    facts.source = source;
    facts.destination = destination;
    facts.serviceType = serviceType;
    facts.dataCoding = dataCoding;
    facts.time = std::chrono::system_clock::now();
    return facts;
}

nio::Result<std::uint8_t> parseDataCoding(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hexadecimal ? text.substr(2) : text;
    std::uint8_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
    if (parsed.ec == std::errc() && parsed.ptr == end) return value;
    return nio::Error(std::errc::invalid_argument,
                      "'" + std::string(text) + "' is out of range: 0 to 255");
}

}  // namespace router
