#include "sms_router/config/ConfigReader.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "sms_router/config/ConfigDocument.h"
#include "sms_router/config/DocumentReader.h"
#include "sms_router/config/TlsChecks.h"

namespace router {

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
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    // An empty file gives nothing to write, which is no failure.
    if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
    if (file.eof() && !file.bad()) file.clear();
    // A directory opens, and fails then.
    if (!file || file.bad() || text.fail()) {
        ConfigReading reading;
        const int reason = errno == 0 ? EIO : errno;
        reading.mistakes.push_back({0, std::generic_category().message(reason)});
        return reading;
    }
    ConfigReading reading = readConfig(text.str(), settings);
    if (reading.config != nullptr) reading.mistakes = checkTlsFiles(*reading.config);
    if (!reading.mistakes.empty()) reading.config = nullptr;
    return reading;
}

std::string describe(const std::string& path, const ConfigMistake& mistake) {
    const std::string line = mistake.line > 0 ? ":" + std::to_string(mistake.line) : "";
    return path + line + ": " + mistake.what;
}

}  // namespace router
