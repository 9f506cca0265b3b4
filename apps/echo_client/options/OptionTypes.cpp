#include "echo_client/options/OptionTypes.h"

#include "common/Quantity.h"

namespace load {

CLI::Option* addTime(CLI::App& app, const std::string& option, nio::Clock::duration& target,
                     nio::Clock::duration low, nio::Clock::duration high, const std::string& help) {
    auto read = [option, &target, low, high](const std::string& text) {
        const auto time = apps::parseDuration(text);
        if (!time) throw CLI::ValidationError(option, time.error().context());
        if (time.value() < low || time.value() > high) {
            throw CLI::ValidationError(option, "'" + text + "' is no time from " +
                                                   apps::writeDuration(low) + " to " +
                                                   apps::writeDuration(high));
        }
        target = time.value();
    };
    return app.add_option_function<std::string>(option, read, help)
        ->type_name("TIME")
        ->default_str(apps::writeDuration(target));
}

CLI::Option* addCount(CLI::App& app, const std::string& option, std::uint64_t& target,
                      std::uint64_t low, std::uint64_t high, const std::string& help) {
    auto read = [option, &target, low, high](const std::string& text) {
        const auto count = apps::parseCount(text);
        if (!count) throw CLI::ValidationError(option, count.error().context());
        if (count.value() < low || count.value() > high) {
            throw CLI::ValidationError(option, "'" + text + "' is no number from " +
                                                   std::to_string(low) + " to " +
                                                   std::to_string(high));
        }
        target = count.value();
    };
    return app.add_option_function<std::string>(option, read, help)
        ->type_name("N")
        ->default_str(std::to_string(target));
}

}  // namespace load
