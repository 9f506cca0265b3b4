// Writes Prometheus' text format, version 0.0.4: one family after the other, each with its HELP
// and its TYPE.
//
// Thread: one at a time.
// Source: prometheus.io, Exposition formats.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apps {

// The media type of the text.
inline constexpr const char* metricsType = "text/plain; version=0.0.4; charset=utf-8";

class MetricsText {
  public:
    using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

    // Samples belong to the family begun last. `name` is without _total.
    void counter(std::string_view name, std::string_view help);
    void gauge(std::string_view name, std::string_view help);
    void histogram(std::string_view name, std::string_view help);

    void sample(const Labels& labels, std::uint64_t value);
    void sample(const Labels& labels, double value);
    // Of a histogram, in the order of their bounds; the last bound is infinite.
    struct Bucket {
        double upperBound;
        std::uint64_t count;  // in this one, not up to here
    };
    void sample(const Labels& labels, std::span<const Bucket> buckets, double sum);

    std::string take() { return std::move(text_); }

  private:
    void begin(std::string name, const char* type, std::string_view help);
    void line(std::string_view suffix, const Labels& labels, std::string_view value);

    std::string family_;
    std::string text_;
};

}  // namespace apps
