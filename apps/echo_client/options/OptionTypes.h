// Options of a command line whose values have units.
//
// A value that cannot be read or is outside its range throws CLI::ValidationError: one line that
// names the option. What the target holds before is shown as the default.
//
// Lifetime: the target lives longer than the App.
#pragma once

#include <cstdint>
#include <string>

#include <nio/base/Result.h>
#include <nio/sys/Clock.h>

#include "common/CommandLine.h"

namespace load {

// Within [low, high].
CLI::Option* addTime(CLI::App& app, const std::string& option, nio::Clock::duration& target,
                     nio::Clock::duration low, nio::Clock::duration high, const std::string& help);
CLI::Option* addCount(CLI::App& app, const std::string& option, std::uint64_t& target,
                      std::uint64_t low, std::uint64_t high, const std::string& help);

// Whatever `parse` makes of the text.
template <class T>
CLI::Option* addParsed(CLI::App& app, const std::string& option, T& target,
                       nio::Result<T> (*parse)(const std::string&), const std::string& type,
                       const std::string& help) {
    auto read = [option, &target, parse](const std::string& text) {
        auto value = parse(text);
        if (!value) throw CLI::ValidationError(option, value.error().context());
        target = std::move(value).value();
    };
    return app.add_option_function<std::string>(option, read, help)->type_name(type);
}

// May be given several times, one value each.
template <class T>
CLI::Option* addRepeated(CLI::App& app, const std::string& option, std::vector<T>& target,
                         nio::Result<T> (*parse)(const std::string&), const std::string& type,
                         const std::string& help) {
    auto read = [option, &target, parse](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            auto value = parse(text);
            if (!value) throw CLI::ValidationError(option, value.error().context());
            target.push_back(std::move(value).value());
        }
    };
    return app.add_option_function<std::vector<std::string>>(option, read, help)
        ->allow_extra_args(false)
        ->type_name(type);
}

}  // namespace load
