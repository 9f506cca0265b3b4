// Prints one line that only nio-tls can know; instantiates a pipeline with TLS.
#include <cstdio>
#include <string_view>

#include <nio-tls/Tls.h>
#include <nio/codec/LineDecoder.h>
#include <nio/net/Server.h>

int main() {
    const auto trust = nio::TlsContext::client({.verify = false}).orThrow();
    const auto factory = nio::pipeline(nio::tls(trust), nio::lines(),
                                       [](auto& peer, std::string_view line) { peer.send(line); });
    (void)factory;
    const auto none = nio::TlsContext::server({"none.pem", "none.pem"});
    std::puts(none.error().message().c_str());
}
