#include "smpp_bench/esme/EsmeFigures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace smppbench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(EsmeFigures, HaveNoNumberBeyondTheHistogramsRange) {
    EsmeFigures figures;
    for (int i = 0; i < 100; ++i) figures.latency.record(i < 60 ? 2500us : 70s);
    EXPECT_THAT(toText({}, figures, {}), HasSubstr(", p50 2.50 ms, p99 > 60 s\n"));
    const json latency = json::parse(toJson({}, figures, {}))["latency_us"];
    EXPECT_NEAR(latency["p50"], 2500, 2.5);
    EXPECT_EQ(latency["p99"], "> 60 s");
    EXPECT_EQ(latency["p999"], "> 60 s");
    EXPECT_EQ(latency["max"], 70e6);
}

TEST(EsmeFigures, AreUtf8ThoughAnAddressIsNot) {
    EsmeFigures figures;
    figures.mo["esme1"]["46\xe4"] = 3;
    EXPECT_EQ(json::parse(toJson({}, figures, {}))["mo"]["esme1"]["46\xef\xbf\xbd"], 3);
}

}  // namespace
}  // namespace smppbench
