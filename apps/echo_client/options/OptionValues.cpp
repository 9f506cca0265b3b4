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

nio::Result<MaxLateness> parseMaxLateness(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || !text.ends_with("%")) {
        return refuse("'" + text + "' is not TIME:PERCENT%, such as 1ms:1%");
    }
    const auto time = apps::parseDuration(text.substr(0, colon));
    if (!time) return time.error();
    const auto percent = apps::parseNumber(text.substr(colon + 1, text.size() - colon - 2));
    if (!percent) return percent.error();
    if (!(percent.value() <= 100)) return refuse("'" + text + "' is more than 100 %");
    return MaxLateness{time.value(), percent.value() / 100};
}

nio::Result<Beside> parseBeside(const std::string& text) {
    constexpr std::uint64_t most = 1'000'000;
    const std::size_t colon = text.find(':');
    const auto found = misbehaviours().find(text.substr(0, colon));
    if (colon == std::string::npos || found == misbehaviours().end()) {
        return refuse("'" + text + "' is not HOW:N, such as slowloris:200");
    }
    const auto count = apps::parseCountWithin(1, most, text.substr(colon + 1));
    if (!count) return count.error();
    return Beside{found->second, static_cast<std::size_t>(count.value())};
}

nio::Result<nio::SocketAddress> parseSource(const std::string& text) {
    auto address = nio::SocketAddress::numeric(apps::withoutBrackets(text), 0);
    if (address) return address;
    return refuse("'" + text + "' is not a numeric address");
}

nio::Result<apps::Endpoint> parseListen(const std::string& text) {
    const bool hasHost = text.find(':') != std::string::npos;
    const auto endpoint = hasHost ? apps::endpointFrom(text) : std::nullopt;
    if (!endpoint) return refuse("'" + text + "' is not HOST:PORT");
    return *endpoint;
}

nio::Result<apps::Endpoint> parseHostPort(const std::string& text) {
    auto agent = parseListen(text);
    if (agent && agent.value().port == 0) return refuse("'" + text + "' is not HOST:PORT");
    return agent;
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
    return refuse("'" + text + "' is not a process of this machine");
}

nio::Result<std::string> parseToken(const std::string& text) {
    const auto isPlain = [](char c) { return c > ' ' && c <= '~'; };
    const bool fits = !text.empty() && text.size() <= 256;
    if (fits && std::all_of(text.begin(), text.end(), isPlain)) return text;
    return refuse("a token must have 1 to 256 printable characters and no space");
}

}  // namespace load
