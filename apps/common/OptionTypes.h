// Options of a command line whose values have units.
//
// A value that cannot be read or is outside its range throws CLI::ValidationError: one line that
// names the option. What the target holds before is shown as the default.
//
// Lifetime: the target lives longer than the App.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nio/base/Result.h>

#include "common/CommandLine.h"
#include "common/Quantity.h"

namespace apps {

// "--rate" of "-r,--rate": what errors call it.
inline std::string longName(const std::string& option) {
    return option.substr(option.rfind(',') + 1);
}

// Whatever `parse` makes of the text.
template <class T, class Parse>
CLI::Option* addParsed(CLI::App& app, const std::string& option, T& target, Parse parse,
                       const std::string& type, const std::string& help) {
    auto read = [name = longName(option), &target, parse](const std::string& text) {
        auto value = parse(text);
        if (!value) throw CLI::ValidationError(name, value.error().context());
        target = static_cast<T>(std::move(value).value());
    };
    return app.add_option_function<std::string>(option, read, help)->type_name(type);
}

// May be given several times, one value each.
template <class T>
CLI::Option* addRepeated(CLI::App& app, const std::string& option, std::vector<T>& target,
                         nio::Result<T> (*parse)(const std::string&), const std::string& type,
                         const std::string& help) {
    auto read = [name = longName(option), &target, parse](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            auto value = parse(text);
            if (!value) throw CLI::ValidationError(name, value.error().context());
            target.push_back(std::move(value).value());
        }
    };
    return app.add_option_function<std::vector<std::string>>(option, read, help)
        ->allow_extra_args(false)
        ->type_name(type);
}

// The same, and each time a list: A,B,... No part of it may be empty.
template <class T>
CLI::Option* addList(CLI::App& app, const std::string& option, std::vector<T>& target,
                     nio::Result<T> (*parse)(const std::string&), const std::string& type,
                     const std::string& help) {
    auto read = [name = longName(option), &target, parse](const std::vector<std::string>& lists) {
        for (const std::string& part : splitList(name, lists)) {
            auto value = parse(part);
            if (!value) throw CLI::ValidationError(name, value.error().context());
            target.push_back(std::move(value).value());
        }
    };
    return app.add_option_function<std::vector<std::string>>(option, read, help)
        ->allow_extra_args(false)
        ->type_name(type);
}

// Within [low, high]. Rounded up to the target's unit: what is not zero does not become zero.
template <class Duration>
CLI::Option* addTime(CLI::App& app, const std::string& option, Duration& target,
                     std::chrono::nanoseconds low, std::chrono::nanoseconds high,
                     const std::string& help) {
    const auto parse = [low, high](const std::string& text) -> nio::Result<Duration> {
        const auto time = parseDurationWithin(low, high, text);
        if (!time) return time.error();
        return std::chrono::ceil<Duration>(time.value());
    };
    return addParsed(app, option, target, parse, "TIME", help)->default_str(writeDuration(target));
}

// Within [low, high], which the target can hold.
template <class Count>
CLI::Option* addCount(CLI::App& app, const std::string& option, Count& target, std::uint64_t low,
                      std::uint64_t high, const std::string& help) {
    const auto parse = [low, high](const std::string& text) {
        return parseCountWithin(low, high, text);
    };
    return addParsed(app, option, target, parse, "N", help)->default_str(std::to_string(target));
}

}  // namespace apps
