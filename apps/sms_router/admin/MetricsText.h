// Writes Prometheus' text format, version 0.0.4: one family after the other, each with its HELP
// and its TYPE.
//
// Thread: one at a time.
// Source: prometheus.io, Exposition formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sms_router/admin/Snapshot.h"

namespace router {

class MetricsText {
  public:
    using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

    // Samples belong to the family begun last. `name` is without _total.
    void counter(std::string_view name, std::string_view help);
    void gauge(std::string_view name, std::string_view help);
    // In seconds.
    void histogram(std::string_view name, std::string_view help);

    void sample(const Labels& labels, std::uint64_t value);
    void sample(const Labels& labels, double value);
    void sample(const Labels& labels, const LatencyBuckets& buckets);

    std::string take() { return std::move(text_); }

  private:
    void begin(std::string name, const char* type, std::string_view help);
    void line(std::string_view suffix, const Labels& labels, std::string_view value);

    std::string family_;
    std::string text_;
};

}  // namespace router
