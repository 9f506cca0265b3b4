// How much a connection may have waiting before it sends no more.
#include "echo_client/load/LoadPlan.h"

#include <gtest/gtest.h>

#include "echo_client/options/LoadOptionsParser.h"

namespace load {
namespace {

std::size_t unsentLimitOf(const std::vector<std::string>& arguments) {
    const LoadOptions options = readLoadOptions(arguments).orThrow();
    return LoadPlan(options, nio::SocketAddress::loopback4(1)).unsentLimit();
}

TEST(LoadPlan, LetsAPipelineOfTheLargestMessageWait) {
    EXPECT_GE(unsentLimitOf({"--pipeline", "8", "--size", "1-1Mi"}), 8u << 20);
    EXPECT_GE(unsentLimitOf({"--pipeline", "8", "--send", "a", "--expect", "b", "--send",
                             "{random:1Mi}", "--expect", "b"}),
              8u << 20);
}

TEST(LoadPlan, LetsAHandshakeWait) {
    EXPECT_GE(unsentLimitOf({"--size", "1", "--tls", "--insecure"}), 16u << 10);
}

}  // namespace
}  // namespace load
