// Names, phrases and numbers that several forms of the report share.
//
// Thread: any.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "common/Framing.h"
#include "common/Units.h"
#include "echo_client/options/LoadOptions.h"

namespace load {

// The version of all JSON that is written, as docs/echo-client.schema.json describes it.
constexpr int outputSchema = 2;
constexpr std::size_t labelColumns = 14;

// As on the command line.
std::string nameOf(apps::Framing framing);
std::string nameOf(Arrivals arrivals);

using apps::counted;
using apps::jsonTime;

// "49 of 50"; with --lifetime, when more were made: "170 made, 50 at once".
std::string connectionsOf(std::size_t made, std::size_t asked);

// A row of the text: its label, then the value from column 14 on. At most 80 columns, but for a
// longer word, with a newline.
std::string row(const std::string& label, const std::string& value);

// How many columns UTF-8 text takes on a terminal, of letters that take one each.
std::size_t columnsOf(const std::string& text);
// Spaces behind (or in front of) the text make it so many columns wide.
std::string padded(std::string text, std::size_t columns);
std::string rightAligned(const std::string& text, std::size_t columns);
// Breaks at spaces what is longer than `columns`; further lines begin with `indent` spaces. A
// longer word stays whole.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns = 80);

}  // namespace load
