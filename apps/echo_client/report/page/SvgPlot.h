// One plot as inline SVG: axes with grid, lines, bands, bars, marks, and texts that show when the
// pointer rests on them. Its width is that of its place; strokes and letters keep their size.
//
// For whoever counts: a line is <path class="line …" data-name data-points>, and its `d` has one
// command M or L (H in a stepped one) for each of data-points; a bar is <rect class="bar …"
// data-from data-to data-value>; a mark is <g class="mark …">.
//
// Styles are names of CSS classes. All text is escaped here.
//
// Thread: one at a time; a value.
#pragma once

#include <string>
#include <vector>

#include "echo_client/report/page/PlotScale.h"

namespace load::page {

struct Tick {
    double value = 0;
    std::string label;
};

struct Axis {
    PlotScale scale;
    std::string title;
    std::vector<Tick> ticks;
};

struct Spot {
    double x = 0;
    double y = 0;
};

class SvgPlot {
  public:
    // `label` is what a reader who does not see it gets.
    SvgPlot(std::string label, Axis x, Axis y)
        : label_(std::move(label)), x_(std::move(x)), y_(std::move(y)) {}

    // Straight from spot to spot. One that the axes cannot show leaves a gap. With few spots, and
    // where one stands alone, each gets a dot.
    void addLine(const std::string& name, const std::string& style, const std::vector<Spot>& spots);
    // Each spot is the right end of a step; the first begins at the left end of the axis.
    void addSteps(const std::string& name, const std::string& style,
                  const std::vector<Spot>& spots);
    // Filled between two lines, which have the same x; gaps as in a line.
    void addBand(const std::string& style, const std::vector<Spot>& upper,
                 const std::vector<Spot>& lower);
    void addBar(const std::string& style, double from, double to, double value,
                const std::string& hover);
    void addMark(const std::string& style, const std::string& shape, Spot spot,
                 const std::string& hover);
    // A part of the width is another matter, e.g. not measured.
    void addShade(double from, double to, const std::string& hover);
    // What shows for a part of the width.
    void addHover(double from, double to, const std::string& hover);

    std::string toString() const;

  private:
    bool shows(Spot spot) const { return x_.scale.shows(spot.x) && y_.scale.shows(spot.y); }
    std::string place(Spot spot) const;
    std::string across(double from, double to) const;
    void addDots(const std::string& style, const std::vector<Spot>& spots);
    std::string grid() const;
    std::string titles() const;

    std::string label_;
    Axis x_;
    Axis y_;
    // In the order in which they are painted.
    std::string shades_;
    std::string bands_;
    std::string paths_;
    std::string hovers_;
    std::string marks_;
};

}  // namespace load::page
