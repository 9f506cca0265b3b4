#include "sms_router/app/ListeningSockets.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "common/ServerOptions.h"

namespace router {

namespace {

nio::Result<nio::ServerSocketChannel> listenBy(nio::Takeover& takeover,
                                               const nio::SocketAddress& address,
                                               const nio::ListenOptions& options) try {
    return nio::ServerSocketChannel::adopt(takeover.listen(address, options), options);
} catch (const std::system_error& error) {
    return nio::Error(error.code());
}

}  // namespace

void ListeningSockets::openAll(const RouterConfig& config) {
    if (takeover_ == nullptr) return;
    for (const ListenerConfig& each : config.listeners) {
        openNow(each.host, each.port, each.keepAlive);
    }
    if (config.http) openNow(config.http->host, config.http->port, apps::usualKeepAlive);
    if (config.admin.enabled) openNow(config.admin.host, config.admin.port, apps::usualKeepAlive);
}

// Port 0 is a new one each time: nothing can be taken over, and listen() cannot fail for it.
void ListeningSockets::openNow(const std::string& host, std::uint16_t port,
                               std::chrono::seconds keepAlive) {
    if (port == 0) return;
    const nio::SocketAddress address = nio::SocketAddress::numeric(host, port).orThrow();
    nio::ListenOptions options;
    options.keepAlive = keepAlive;
    try {
        passed_.push_back(takeover_->listen(address, options));
    } catch (const std::system_error& error) {
        throw std::runtime_error(address.toString() + ": " + error.code().message());
    }
}

void ListeningSockets::forget(const nio::SocketAddress& address) {
    if (takeover_ != nullptr) takeover_->forget(address);
}

nio::Result<nio::ServerSocketChannel> ListeningSockets::listen(const std::string& host,
                                                               std::uint16_t port,
                                                               std::chrono::seconds keepAlive) {
    const auto address = nio::SocketAddress::numeric(host, port);
    if (!address) return address.error();
    nio::ListenOptions options;
    options.keepAlive = keepAlive;
    const auto found = std::ranges::find_if(passed_, [&](const nio::UniqueFd& each) {
        const auto its = nio::kernel::localAddress(each.get());
        return its && its.value() == address.value();
    });
    if (found == passed_.end()) {
        return takeover_ != nullptr ? listenBy(*takeover_, address.value(), options)
                                    : nio::ServerSocketChannel::open(address.value(), options);
    }
    nio::UniqueFd socket = std::move(*found);
    passed_.erase(found);
    return nio::ServerSocketChannel::adopt(std::move(socket), options);
}

std::vector<std::string> ListeningSockets::unused() const {
    std::vector<std::string> addresses;
    for (const nio::UniqueFd& each : passed_) {
        const auto its = nio::kernel::localAddress(each.get());
        addresses.push_back(its ? its.value().toString() : its.error().message());
    }
    return addresses;
}

}  // namespace router
