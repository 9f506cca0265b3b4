#include "echo_client/options/OptionValues.h"

#include <algorithm>
#include <limits>

#include "common/Quantity.h"
#include "echo_client/figures/ProcessUse.h"

namespace load {

namespace {

nio::Error refuse(const std::string& why) {
    return {std::errc::invalid_argument, why};
}

}  // namespace

nio::Result<RateCurve> parseConstantRate(const std::string& text) {
    const auto rate = apps::parseRate(text);
    if (!rate) return rate.error();
    return RateCurve::constant(rate.value());
}

nio::Result<nio::SocketAddress> parseSource(const std::string& text) {
    auto address = nio::SocketAddress::numeric(text, 0);
    if (address) return address;
    return refuse("'" + text + "' is no numeric address");
}

nio::Result<apps::Endpoint> parseAgent(const std::string& text) {
    const auto wrong = [&text] { return refuse("'" + text + "' is not HOST:PORT"); };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) return wrong();
    const auto port = apps::parseCount(text.substr(colon + 1));
    if (!port || port.value() == 0 || port.value() > 65'535) return wrong();
    apps::Endpoint agent;
    agent.host = text.substr(0, colon);
    agent.port = static_cast<std::uint16_t>(port.value());
    const bool bracketed = agent.host.front() == '[' && agent.host.back() == ']';
    if (bracketed) agent.host = agent.host.substr(1, agent.host.size() - 2);
    const bool hasColons = agent.host.find(':') != std::string::npos;
    return agent.host.empty() || hasColons != bracketed ? wrong() : nio::Result(agent);
}

nio::Result<std::string> parseFile(const std::string& text) {
    if (text.empty()) return refuse("a path must not be empty");
    return text;
}

nio::Result<int> parseProcess(const std::string& text) {
    const auto number = apps::parseCount(text);
    const bool fits =
        number && number.value() > 0 && number.value() <= std::numeric_limits<int>::max();
    if (fits && ProcessUse::of(static_cast<int>(number.value()))) {
        return static_cast<int>(number.value());
    }
    return refuse("'" + text + "' is no process of this machine");
}

nio::Result<std::string> parseToken(const std::string& text) {
    const auto isPlain = [](char c) { return c > ' ' && c <= '~'; };
    const bool fits = !text.empty() && text.size() <= 256;
    if (fits && std::all_of(text.begin(), text.end(), isPlain)) return text;
    return refuse("a token has 1 to 256 printable characters and no blank");
}

}  // namespace load
