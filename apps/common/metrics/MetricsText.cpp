#include "common/metrics/MetricsText.h"

#include <charconv>
#include <cmath>

namespace apps {

namespace {

std::string escaped(std::string_view text, bool quotes) {
    std::string safe;
    for (const char c : text) {
        if (c == '\n') {
            safe += "\\n";
        } else if (c == '\\' || (quotes && c == '"')) {
            safe += {'\\', c};
        } else {
            safe += c;
        }
    }
    return safe;
}

std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

}  // namespace

void MetricsText::counter(std::string_view name, std::string_view help) {
    begin(std::string(name) + "_total", "counter", help);
}

void MetricsText::gauge(std::string_view name, std::string_view help) {
    begin(std::string(name), "gauge", help);
}

void MetricsText::histogram(std::string_view name, std::string_view help) {
    begin(std::string(name), "histogram", help);
}

void MetricsText::begin(std::string name, const char* type, std::string_view help) {
    family_ = std::move(name);
    text_ += "# HELP " + family_ + " " + escaped(help, false) + "\n";
    text_ += "# TYPE " + family_ + " " + type + "\n";
}

void MetricsText::sample(const Labels& labels, std::uint64_t value) {
    line("", labels, std::to_string(value));
}

void MetricsText::sample(const Labels& labels, double value) {
    line("", labels, number(value));
}

void MetricsText::sample(const Labels& labels, std::span<const Bucket> buckets, double sum) {
    std::uint64_t upToHere = 0;
    Labels withBound = labels;
    withBound.emplace_back("le", "");
    for (const Bucket& bucket : buckets) {
        upToHere += bucket.count;
        const std::string bound = number(bucket.upperBound);
        withBound.back().second = bound;
        line("_bucket", withBound, std::to_string(upToHere));
    }
    line("_sum", labels, number(sum));
    line("_count", labels, std::to_string(upToHere));
}

void MetricsText::line(std::string_view suffix, const Labels& labels, std::string_view value) {
    text_.append(family_).append(suffix);
    char before = '{';
    for (const auto& [name, content] : labels) {
        text_ += before;
        text_.append(name).append("=\"").append(escaped(content, true)).append("\"");
        before = ',';
    }
    if (!labels.empty()) text_ += '}';
    text_.append(" ").append(value).append("\n");
}

}  // namespace apps
