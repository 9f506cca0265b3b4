#include "echo_client/report/page/SvgPlot.h"

#include <algorithm>

#include "common/Units.h"
#include "echo_client/report/page/Markup.h"

namespace load::page {

namespace {

// What stretches (paths, bars) has a box of its own, in thousandths of the plot.
constexpr double side = 1000;
constexpr std::size_t fewSpots = 24;
// Of the narrowest plot, and of a letter in the widest usual font; in pixels.
constexpr double narrowWidth = 210;
constexpr double letterWidth = 7.5;
constexpr double gapOfLabels = 6;

std::string number(double value) {
    std::string text = apps::fixed(value, 1);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string percent(double fraction) {
    return apps::fixed(fraction * 100, 2) + "%";
}

std::string attribute(const std::string& name, const std::string& value) {
    return " " + name + "=\"" + escape(value) + "\"";
}

std::string title(const std::string& text) {
    return text.empty() ? "" : element("title", escape(text));
}

std::string path(const std::string& d, const std::string& name, const std::string& style,
                 std::size_t points) {
    return "<path class=\"line " + style + "\"" + attribute("data-name", name) + " data-points=\"" +
           std::to_string(points) + "\" d=\"" + d + "\">" + title(name) + "</path>\n";
}

double widthOf(const std::string& label) {
    const auto letters =
        std::ranges::count_if(label, [](unsigned char c) { return (c & 0xC0) != 0x80; });
    return static_cast<double>(letters) * letterWidth;
}

// Whether two labels run into each other where the plot is narrow.
bool collide(const Tick& left, const Tick& right, const PlotScale& scale) {
    const double apart = scale.fraction(right.value) - scale.fraction(left.value);
    const double wanted = (widthOf(left.label) + widthOf(right.label)) / 2 + gapOfLabels;
    return apart * narrowWidth < wanted;
}

}  // namespace

std::string SvgPlot::place(Spot spot) const {
    return number(x_.scale.fraction(spot.x) * side) + " " +
           number((1 - y_.scale.fraction(spot.y)) * side);
}

// x and width of a rectangle.
std::string SvgPlot::across(double from, double to) const {
    const double left = x_.scale.fraction(from) * side;
    const double right = x_.scale.fraction(to) * side;
    return attribute("x", number(left)) + attribute("width", number(std::max(0.0, right - left)));
}

void SvgPlot::addLine(const std::string& name, const std::string& style,
                      const std::vector<Spot>& spots) {
    std::string d;
    std::size_t points = 0;
    bool down = false;
    for (const Spot spot : spots) {
        const bool shown = shows(spot);
        if (shown) d += (down ? "L" : "M") + place(spot);
        points += shown ? 1 : 0;
        down = shown;
    }
    paths_ += path(d, name, style, points);
    addDots(style, spots);
}

void SvgPlot::addDots(const std::string& style, const std::vector<Spot>& spots) {
    for (std::size_t i = 0; i < spots.size(); ++i) {
        if (!shows(spots[i])) continue;
        const bool joined =
            (i > 0 && shows(spots[i - 1])) || (i + 1 < spots.size() && shows(spots[i + 1]));
        if (joined && spots.size() > fewSpots) continue;
        marks_ += "<circle class=\"dot " + style + "\"" +
                  attribute("cx", percent(x_.scale.fraction(spots[i].x))) +
                  attribute("cy", percent(1 - y_.scale.fraction(spots[i].y))) + " r=\"2.5\"/>\n";
    }
}

void SvgPlot::addSteps(const std::string& name, const std::string& style,
                       const std::vector<Spot>& spots) {
    std::string d;
    for (const Spot spot : spots) {
        const std::string y = number((1 - y_.scale.fraction(spot.y)) * side);
        d += (d.empty() ? "M0 " : "V") + y + "H" + number(x_.scale.fraction(spot.x) * side);
    }
    paths_ += path(d, name, style, spots.size());
}

void SvgPlot::addBand(const std::string& style, const std::vector<Spot>& upper,
                      const std::vector<Spot>& lower) {
    std::string d;
    const std::size_t count = std::min(upper.size(), lower.size());
    for (std::size_t begin = 0; begin < count;) {
        std::size_t end = begin;
        while (end < count && shows(upper[end]) && shows(lower[end])) ++end;
        for (std::size_t i = begin; i < end; ++i) d += (i == begin ? "M" : "L") + place(upper[i]);
        for (std::size_t i = end; i > begin; --i) d += "L" + place(lower[i - 1]);
        if (end > begin) d += "Z";
        begin = end + 1;
    }
    bands_ += "<path class=\"band " + style + "\" d=\"" + d + "\"/>\n";
}

void SvgPlot::addBar(const std::string& style, double from, double to, double value,
                     const std::string& hover) {
    const double height = y_.scale.fraction(value) * side;
    bands_ += "<rect class=\"bar " + style + "\"" + across(from, to) +
              attribute("y", number(side - height)) + attribute("height", number(height)) +
              attribute("data-from", apps::fixed(from, 3)) +
              attribute("data-to", apps::fixed(to, 3)) +
              attribute("data-value", apps::fixed(value, 6)) + ">" + title(hover) + "</rect>\n";
}

void SvgPlot::addMark(const std::string& style, const std::string& shape, Spot spot,
                      const std::string& hover) {
    if (!shows(spot)) return;
    marks_ += "<svg" + attribute("x", percent(x_.scale.fraction(spot.x))) +
              attribute("y", percent(1 - y_.scale.fraction(spot.y))) +
              " overflow=\"visible\"><g class=\"mark " + style + "\">" + title(hover) +
              "<path d=\"" + shape + "\"/></g></svg>\n";
}

void SvgPlot::addShade(double from, double to, const std::string& hover) {
    shades_ += "<rect class=\"shade\"" + across(from, to) + " y=\"0\" height=\"1000\">" +
               title(hover) + "</rect>\n";
}

void SvgPlot::addHover(double from, double to, const std::string& hover) {
    hovers_ += "<rect class=\"hover\"" + across(from, to) + " y=\"0\" height=\"1000\">" +
               title(hover) + "</rect>\n";
}

std::string SvgPlot::grid() const {
    std::string lines;
    for (const Tick& tick : y_.ticks) {
        const std::string y = percent(1 - y_.scale.fraction(tick.value));
        lines += "<line class=\"grid\" x1=\"0\" x2=\"100%\"" + attribute("y1", y) +
                 attribute("y2", y) + "/><text class=\"y\" x=\"-8\" dy=\"0.32em\"" +
                 attribute("y", y) + ">" + escape(tick.label) + "</text>\n";
    }
    const Tick* shown = nullptr;
    for (const Tick& tick : x_.ticks) {
        const std::string x = percent(x_.scale.fraction(tick.value));
        const bool spare = shown && collide(*shown, tick, x_.scale);
        if (!spare) shown = &tick;
        lines += "<line class=\"grid\" y1=\"0\" y2=\"100%\"" + attribute("x1", x) +
                 attribute("x2", x) + "/><text class=\"x" + (spare ? " spare" : "") +
                 "\" y=\"100%\" dy=\"18\"" + attribute("x", x) + ">" + escape(tick.label) +
                 "</text>\n";
    }
    return lines;
}

std::string SvgPlot::titles() const {
    return "<text class=\"title\" x=\"100%\" y=\"100%\" dy=\"36\" text-anchor=\"end\">" +
           escape(x_.title) + "</text><text class=\"title\" x=\"-48\" y=\"-12\">" +
           escape(y_.title) + "</text>\n";
}

std::string SvgPlot::toString() const {
    const std::string stretched = element(
        "svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" width=\"100%\" "
        "height=\"100%\" overflow=\"visible\"",
        "\n" + bands_ + paths_ + hovers_);
    const std::string below = element(
        "svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" width=\"100%\" "
        "height=\"100%\"",
        "\n" + shades_);
    const std::string svg =
        element("svg class=\"plot\" role=\"img\"" + attribute("aria-label", label_),
                "\n" + below + grid() + titles() + stretched + marks_);
    return element("div class=\"frame\"", svg) + "\n";
}

}  // namespace load::page
