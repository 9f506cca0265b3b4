#include "echo_client/report/page/Markup.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "common/Printable.h"
#include "common/Units.h"

namespace load::page {

namespace {

const char* const nothing = "–";

std::string escaped(char c) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        default: break;
    }
    const bool control = (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f';
    return control ? "\xEF\xBF\xBD" : std::string(1, c);
}

// At most four digits, without zeros at the end.
std::string trimmed(double value) {
    char text[32];
    const int length = std::snprintf(text, sizeof text, "%.4g", value);
    return {text, static_cast<std::size_t>(length)};
}

struct Unit {
    double size;
    const char* name;
};

// By the largest unit that the number reaches.
template <std::size_t N>
std::string inUnits(double number, const Unit (&units)[N]) {
    if (!std::isfinite(number)) return nothing;
    std::size_t i = 0;
    while (i + 1 < N && std::abs(number) >= units[i + 1].size * 0.99999) ++i;
    return trimmed(number / units[i].size) + units[i].name;
}

std::string tagOf(const std::string& cell) {
    if (cell.starts_with("✓")) return "td class=\"yes\"";
    return cell.starts_with("✗") ? "td class=\"no\"" : "td";
}

}  // namespace

std::string escape(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    for (const char c : apps::validUtf8(text)) safe += escaped(c);
    return safe;
}

std::string element(const std::string& tag, const std::string& content) {
    return "<" + tag + ">" + content + "</" + tag.substr(0, tag.find(' ')) + ">";
}

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
    return text;
}

std::string rateText(double perSecond) {
    if (!std::isfinite(perSecond)) return nothing;
    if (perSecond < 100) return trimmed(std::round(perSecond * 100) / 100);
    return grouped(static_cast<std::uint64_t>(std::llround(std::min(perSecond, 1e18))));
}

std::string timeText(double nanoseconds) {
    const bool isBeyond = nanoseconds == std::numeric_limits<double>::infinity();
    if (isBeyond) return apps::microsWithUnit(nanoseconds);
    if (!std::isfinite(nanoseconds)) return nothing;
    return apps::microsWithUnit(std::clamp(nanoseconds, 0.0, 9e18) / 1000);
}

std::string tickNumber(double number) {
    return inUnits(number, {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}});
}

std::string tickTime(double nanoseconds) {
    return inUnits(nanoseconds, {{1, " ns"}, {1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}});
}

std::string percentText(double fraction, int digits) {
    if (!std::isfinite(fraction)) return nothing;
    return apps::fixed(std::clamp(fraction * 100, -1e18, 1e18), digits) + " %";
}

Table& Table::row(const std::vector<std::string>& cells, const std::string& style) {
    std::string row;
    for (const std::string& cell : cells) {
        row += element(row.empty() ? "th scope=\"row\"" : tagOf(cell), escape(cell));
    }
    rows_ += element(style.empty() ? "tr" : "tr class=\"" + style + "\"", row) + "\n";
    return *this;
}

std::string Table::toString() const {
    std::string heads;
    for (const std::string& head : heads_) {
        heads += head.empty() ? "<td></td>" : element("th scope=\"col\"", escape(head));
    }
    const std::string table = element("caption", escape(caption_)) +
                              (heads_.empty() ? "" : element("thead", element("tr", heads))) +
                              element("tbody", rows_);
    return element("div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                       escape(caption_) + "\"",
                   element("table", table)) +
           "\n";
}

}  // namespace load::page
