#include "bench/smpp/OptionKinds.h"

#include <CLI/CLI.hpp>

#include "common/Quantity.h"

namespace smppbench {

namespace {

template <class Target, class Parse>
CLI::Option* addParsed(CLI::App& app, const std::string& option, Target& target, Parse parse,
                       const std::string& help) {
    const auto store = [&target, parse, option](const std::string& text) {
        const auto value = parse(text);
        if (!value) throw CLI::ValidationError(option, value.error().context());
        target = static_cast<Target>(value.value());
    };
    return app.add_option_function<std::string>(option, store, help);
}

}  // namespace

CLI::Option* addTime(CLI::App& app, const std::string& option, std::chrono::nanoseconds& target,
                     const std::string& help) {
    return addParsed(app, option, target, apps::parseDuration, help)
        ->type_name("TIME")
        ->default_str(apps::writeDuration(target));
}

CLI::Option* addRate(CLI::App& app, const std::string& option, double& target,
                     const std::string& help) {
    return addParsed(app, option, target, apps::parseRate, help)->type_name("RATE");
}

CLI::Option* addCount(CLI::App& app, const std::string& option, std::size_t& target,
                      const std::string& help) {
    return addParsed(app, option, target, apps::parseCount, help)
        ->type_name("N")
        ->default_str(std::to_string(target));
}

}  // namespace smppbench
