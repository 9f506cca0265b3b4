#include "sms_router/config/ConfigReader.h"

#include "common/ReadFile.h"
#include "sms_router/config/ConfigDocument.h"
#include "sms_router/config/TlsChecks.h"

namespace router {

namespace {

constexpr std::size_t mostBytes = 16 * 1024 * 1024;

}  // namespace

ConfigReading readConfig(const std::string& toml, const Settings& settings) {
    Findings findings;
    ConfigReading reading;
    if (const auto document = readDocument(toml, settings, findings)) {
        RouterConfig config = readWhole(*document, findings);
        if (!findings.hasMistakes()) {
            reading.config = std::make_shared<const RouterConfig>(std::move(config));
        }
    }
    reading.mistakes = findings.mistakes();
    reading.warnings = findings.warnings();
    return reading;
}

ConfigReading readConfigFile(const std::string& path, const Settings& settings) {
    const auto text = apps::readFile(path, mostBytes);
    if (!text) {
        ConfigReading reading;
        reading.mistakes.push_back({0, text.error().code().message()});
        return reading;
    }
    ConfigReading reading = readConfig(text.value(), settings);
    if (reading.config != nullptr) reading.mistakes = checkTlsFiles(*reading.config);
    if (!reading.mistakes.empty()) reading.config = nullptr;
    return reading;
}

std::string describe(const std::string& path, const ConfigMistake& mistake) {
    const std::string line = mistake.line > 0 ? ":" + std::to_string(mistake.line) : "";
    return path + line + ": " + mistake.what;
}

}  // namespace router
