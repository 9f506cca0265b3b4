// Where a value lies along an axis, and at which values the axis has ticks a reader likes:
// multiples of 1, 2 or 5 times a power of ten (on a logarithmic axis 3 times, too).
//
// Takes anything: ends that are equal, swapped or not numbers are put right, and what is beyond
// an end lies at that end. On a logarithmic scale nothing is below 1e-12.
//
// Thread: any; a value.
#pragma once

#include <vector>

namespace load::page {

class PlotScale {
  public:
    // Whether the axis ends where it is told to, or at the next nice value outwards.
    enum class Ends { exact, rounded };

    static PlotScale linear(double low, double high, Ends ends);
    static PlotScale logarithmic(double low, double high, Ends ends);

    double low() const { return low_; }
    double high() const { return high_; }
    // Ascending, within the ends: about five; a logarithmic one has up to nine.
    const std::vector<double>& ticks() const { return ticks_; }
    // Whether it has a place of its own on the axis: a number, and above 0 on a logarithmic one.
    bool shows(double value) const;
    // From 0 at the low end to 1 at the high end.
    double fraction(double value) const;

  private:
    PlotScale(double low, double high, bool logarithmic)
        : low_(low), high_(high), logarithmic_(logarithmic) {}

    double low_;
    double high_;
    bool logarithmic_;
    std::vector<double> ticks_;
};

}  // namespace load::page
