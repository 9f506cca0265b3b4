#include "echo_client/report/LiveView.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include "common/Units.h"
#include "echo_client/report/ScreenLine.h"
#include "echo_client/report/Words.h"
#include "echo_client/report/page/LatencyBins.h"

namespace load {

namespace {

constexpr std::size_t labelWidth = 12;
constexpr std::size_t barColumns = 32;
constexpr std::size_t mostPoints = 240;

Sample sumOf(const std::deque<Sample>& samples) {
    Sample sum = samples.front();
    for (std::size_t i = 1; i < samples.size(); ++i) sum.add(samples[i]);
    return sum;
}

// The last `columns` values, relative to the highest of them; a space where there is none.
std::string sparkline(const std::deque<Point>& curve, double Point::*value, std::size_t columns) {
    constexpr const char* steps[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const std::size_t shown = std::min(columns, curve.size());
    const auto begin = curve.end() - static_cast<std::ptrdiff_t>(shown);
    double highest = 0;
    for (auto point = begin; point != curve.end(); ++point) {
        if (std::isfinite((*point).*value)) highest = std::max(highest, (*point).*value);
    }
    std::string line;
    for (auto point = begin; point != curve.end(); ++point) {
        const double each = (*point).*value;
        const double part = std::isinf(each) ? 1 : highest > 0 ? each / highest : 0;
        line += std::isnan(each)
                    ? " "
                    : steps[std::min<std::size_t>(7, static_cast<std::size_t>(part * 8))];
    }
    return line;
}

// The finest that fit into so many rows; empty: none do.
std::vector<page::LatencyBins::Bin> binsWithin(const LatencyHistogram& latency, std::size_t rows) {
    for (const int perDecade : {20, 10, 5, 2, 1}) {
        const page::LatencyBins bins(latency, perDecade);
        if (bins.bins().size() <= rows) return bins.bins();
    }
    return {};
}

std::string timeLeft(const Sample& now) {
    const double gone = std::chrono::duration<double>(now.at).count();
    if (now.percent <= 0 || now.percent >= 100) return "";
    const double left = gone * (100 - now.percent) / now.percent;
    return ", " + apps::fixed(left, left < 10 ? 1 : 0) + " s left";
}

Colour colourOfLoad(double busy) {
    return busy > 0.9 ? Colour::red : busy > 0.7 ? Colour::yellow : Colour::green;
}

// Makes the lines of one picture.
class Picture {
  public:
    Picture(const Sample& now, TerminalSize size, bool colours)
        : now_(now), size_(size), colours_(colours) {}

    std::vector<std::string> connecting() {
        const double part = now_.asked == 0 ? 0 : ratio(now_.made, now_.asked);
        add(line("connecting").addBar(part, barColumns, Colour::green).add("  " + connections()));
        return std::move(lines_);
    }

    std::vector<std::string> running(const std::deque<Point>& curve) {
        add(line(nameOf(now_.phase))
                .addBar(now_.percent / 100, barColumns, Colour::green)
                .add("  " + apps::fixed(now_.percent, 0) + " %" + timeLeft(now_)));
        addCurve(now_.noun + "/s", apps::fixed(now_.perSecond(), 0), curve, &Point::perSecond);
        if (!now_.ways.empty())
            add(line("MB/s").add(apps::fixed(now_.megabytesPerSecond(), 2) + " " + now_.ways));
        add(line("latency").add(latencies()));
        add(line("connections").add(connections()));
        const std::string errors = now_.errors == 0 ? "none" : std::to_string(now_.errors);
        add(line("errors").add(errors, now_.errors == 0 ? Colour::none : Colour::red));
        addDispatchers();
        if (now_.latency.count() == 0) return std::move(lines_);
        addCurve("p50", apps::withUnit(now_.latency.percentile(50)), curve, &Point::p50);
        addCurve("p99", apps::withUnit(now_.latency.percentile(99)), curve, &Point::p99);
        addHistogram();
        return std::move(lines_);
    }

  private:
    static double ratio(std::size_t part, std::size_t whole) {
        return static_cast<double>(part) / static_cast<double>(whole);
    }
    // One column stays free: a cursor behind the last one would already be in the next line.
    ScreenLine line(const std::string& label) const {
        ScreenLine line(std::max<std::size_t>(size_.columns, 2) - 1, colours_);
        return std::move(line.add(padded(label, labelWidth), Colour::dim));
    }
    // The last row stays free: the report's first line must not scroll.
    std::size_t rowsLeft() const { return size_.rows - std::min(size_.rows, lines_.size() + 1); }
    void add(const ScreenLine& line) {
        if (rowsLeft() > 0) lines_.push_back(line.toString());
    }
    void addCurve(const std::string& label, const std::string& now, const std::deque<Point>& curve,
                  double Point::*value) {
        ScreenLine row = line(label);
        row.add(padded(now, 10) + "  ");
        add(row.add(sparkline(curve, value, row.columnsLeft()), Colour::dim));
    }
    std::string connections() const { return connectionsOf(now_.made, now_.asked); }
    std::string latencies() const {
        const LatencyHistogram& latency = now_.latency;
        if (latency.count() == 0) return "none";
        const auto percentile = [&](double percent) {
            return padded(apps::withUnit(latency.percentile(percent)), 7);
        };
        return "p50 " + percentile(50) + "  p90 " + percentile(90) + "  p99 " + percentile(99) +
               "  max " + apps::withUnit(latency.max());
    }
    void addDispatchers() {
        std::size_t columns = 0;
        for (const DispatcherLoad& load : now_.dispatchers) {
            columns = std::max(columns, columnsOf(load.name) + 1);
        }
        for (const auto& [name, busy] : now_.dispatchers) {
            add(line(padded(name, columns))
                    .addBar(busy, barColumns, colourOfLoad(busy))
                    .add("  " + apps::fixed(100 * busy, 0) + " % busy"));
        }
    }

    void addHistogram() {
        const auto bins = binsWithin(now_.latency, rowsLeft());
        std::uint64_t most = 1;
        for (const auto& bin : bins) most = std::max(most, bin.count);
        for (const auto& bin : bins) {
            const auto from = std::chrono::nanoseconds(std::llround(bin.from));
            add(line("≥ " + apps::withUnit(from))
                    .addBar(ratio(bin.count, most), barColumns, Colour::green)
                    .add("  " + apps::fixed(100 * ratio(bin.count, now_.latency.count()), 1) +
                         " %"));
        }
    }

    const Sample& now_;
    const TerminalSize size_;
    const bool colours_;
    std::vector<std::string> lines_;
};

TerminalSize sizeOf(int descriptor) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        return {};
    }
    return {size.ws_col, size.ws_row};
}

std::string medianAndTail(const LatencyHistogram& latency) {
    if (latency.count() == 0) return "no latency";
    return "p50 " + apps::withUnit(latency.percentile(50)) + "  p99 " +
           apps::withUnit(latency.percentile(99));
}

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

void LiveScreen::observed(const Sample& sample) {
    remember(sample);
    const TerminalSize size = size_();
    eraseIfResized(size);
    draw(linesOf(size));
}

void LiveScreen::remember(const Sample& sample) {
    if (!lastSecond_.empty() && lastSecond_.back().phase == LoadPhase::connecting) {
        lastSecond_.clear();
    }
    lastSecond_.push_back(sample);
    nio::Clock::duration others{0};
    for (const Sample& kept : lastSecond_) others += kept.interval;
    while (lastSecond_.size() > 1 &&
           (others -= lastSecond_.front().interval) >= std::chrono::seconds(1)) {
        lastSecond_.pop_front();
    }
    if (sample.phase == LoadPhase::connecting) return;
    curve_.push_back(Point::of(sample));
    if (curve_.size() > mostPoints) curve_.pop_front();
}

std::vector<std::string> LiveScreen::linesOf(TerminalSize size) const {
    const Sample now = sumOf(lastSecond_);
    Picture picture(now, size, colours_);
    return now.phase == LoadPhase::connecting ? picture.connecting() : picture.running(curve_);
}

// The cursor rests at the beginning of the first line: whatever else is written begins there.
void LiveScreen::draw(const std::vector<std::string>& lines) {
    std::string text = "\r";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += (i == 0 ? "" : "\r\n") + lines[i] + "\x1b[K";
    }
    text += "\x1b[J\r";
    if (lines.size() > 1) text += "\x1b[" + std::to_string(lines.size() - 1) + "A";
    out_ << text << std::flush;
    shown_ = true;
}

// The terminal has rewrapped the lines: where they begin is unknown.
void LiveScreen::eraseIfResized(TerminalSize size) {
    if (shown_ && size != drawnFor_) out_ << "\x1b[H\x1b[J";
    drawnFor_ = size;
}

void LiveScreen::clear() {
    if (shown_) eraseIfResized(size_());
    if (shown_) out_ << "\r\x1b[J" << std::flush;
    shown_ = false;
}

void LiveScreen::told(const std::string& line) {
    clear();
    out_ << "echo-client: " << line << "\r\n" << std::flush;
}

std::string ProgressLine::toString(const Sample& sample) {
    if (sample.phase == LoadPhase::connecting) {
        return "connecting: " + std::to_string(sample.made) + " of " +
               counted(sample.asked, "connection");
    }
    return apps::fixed(sample.percent, 0) + " %  " + apps::fixed(sample.perSecond(), 0) + " " +
           sample.noun + "/s  " +
           (sample.ways.empty() ? "" : apps::fixed(sample.megabytesPerSecond(), 2) + " MB/s  ") +
           medianAndTail(sample.latency) +
           (sample.errors > 0 ? "  " + counted(sample.errors, "error") : "");
}

void ProgressLine::observed(const Sample& sample) {
    out_ << "echo-client: " << toString(sample) << std::endl;
}

void ProgressLine::told(const std::string& line) {
    out_ << "echo-client: " << line << std::endl;
}

std::unique_ptr<LoadObserver> makeLiveView(std::ostream& screen, std::ostream& lines,
                                           int descriptor) {
    const std::string_view terminal = environment("TERM");
    if (::isatty(descriptor) != 1 || terminal.empty() || terminal == "dumb") {
        return std::make_unique<ProgressLine>(lines);
    }
    const auto size = [descriptor] { return sizeOf(descriptor); };
    return std::make_unique<LiveScreen>(screen, size, environment("NO_COLOR").empty());
}

}  // namespace load
