#include "echo_client/report/ScreenLine.h"

#include <algorithm>
#include <cmath>

#include "echo_client/report/Words.h"

namespace load {

namespace {

const char* codeOf(Colour colour) {
    switch (colour) {
        case Colour::dim: return "\x1b[2m";
        case Colour::green: return "\x1b[32m";
        case Colour::yellow: return "\x1b[33m";
        case Colour::red: return "\x1b[31m";
        case Colour::none: break;
    }
    return "";
}

// The first letters of UTF-8 text.
std::string cut(const std::string& text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
        if (begins && ++seen > columns) break;
    }
    return text.substr(0, end);
}

}  // namespace

ScreenLine& ScreenLine::add(const std::string& text, Colour colour) {
    const std::string shown = cut(text, left_);
    if (shown.empty()) return *this;
    const bool coloured = colours_ && colour != Colour::none;
    text_ += coloured ? codeOf(colour) + shown + "\x1b[0m" : shown;
    left_ -= columnsOf(shown);
    return *this;
}

ScreenLine& ScreenLine::addBar(double part, std::size_t columns, Colour colour) {
    const std::size_t inner = columns < 2 ? 0 : columns - 2;
    const double filled = std::clamp(part, 0.0, 1.0) * static_cast<double>(inner);
    const auto full = static_cast<std::size_t>(std::lround(filled));
    return add("[")
        .add(std::string(full, '#'), colour)
        .add(std::string(inner - full, ' '))
        .add("]");
}

}  // namespace load
