#include "sms_router/app/ListeningSockets.h"

#include <algorithm>

namespace router {

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
    if (found == passed_.end()) return nio::ServerSocketChannel::open(address.value(), options);
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
