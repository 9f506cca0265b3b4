// Single values of a TOML document, as the configuration writes them. Errors: a sentence in
// context() that quotes the value.
//
// Thread: any.
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <cstdint>
#include <string>

#include <nio/base/Result.h>

namespace router {

int lineOf(const toml::node& node);
// As the file has it, in one short line.
std::string quoted(const toml::node& node);
// "a string", "an array".
std::string kindOf(const toml::node& node);

// 64, or a string such as "4Ki".
nio::Result<std::uint64_t> wholeOf(const toml::node& node);
nio::Result<double> numberOf(const toml::node& node);
// "10s", "500ms", "7d", or a number of seconds.
nio::Result<std::chrono::nanoseconds> durationOf(const toml::node& node);

}  // namespace router
