// The page's style sheet: light and dark, wide and narrow.
//
// Colours: those of text have a contrast of at least 4.5 to what they stand on, those of lines 3.
// Runs differ by colour and by dashes, percentiles of one run by dashes and weight: all can be told
// apart without seeing colours.
//
// Thread: any.
#pragma once

#include <string>

namespace load::page {

std::string style();

}  // namespace load::page
