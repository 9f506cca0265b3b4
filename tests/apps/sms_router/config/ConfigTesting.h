// Configurations for tests, as small as they can be.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sms_router/config/ConfigReader.h"

namespace router::configtesting {

// Behind the text of a test, so that its lines count from 1.
inline constexpr const char* rest = R"(
[listener.rest]
port = 2770
[account.alice]
password = "secret"
[connector.one]
host = "192.0.2.1"
system_id = "router"
[connector.two]
host = "192.0.2.2"
system_id = "other"
)";

inline std::string mistakesOf(const ConfigReading& reading) {
    std::string text;
    for (const ConfigMistake& mistake : reading.mistakes) text += describe("f", mistake) + "\n";
    return text;
}

// What must be right.
inline RouterConfig read(const std::string& toml, const Settings& settings = {}) {
    const ConfigReading reading = readConfig(toml + rest, settings);
    EXPECT_EQ(mistakesOf(reading), "") << toml;
    return reading.config ? *reading.config : RouterConfig();
}

}  // namespace router::configtesting
