// Reads Prometheus' text format 0.0.4, strictly: a line that is not of its grammar, a sample
// outside its family, a family that comes twice, a histogram that does not add up, is a test's
// failure.
//
// Thread: any.
// Source: prometheus.io, Exposition formats; written from it, not from our writer.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace routertest {

class MetricsReader {
  public:
    explicit MetricsReader(const std::string& text) {
        EXPECT_TRUE(text.ends_with('\n'));
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) read(line);
        for (const auto& [name, type] : types_) {
            if (type == "histogram") checkHistogram(name);
        }
    }

    // By its name with its labels, as they are written.
    double value(const std::string& sample) const {
        const auto found = samples_.find(sample);
        EXPECT_NE(found, samples_.end()) << sample;
        return found == samples_.end() ? std::nan("") : found->second;
    }
    bool has(const std::string& sample) const { return samples_.contains(sample); }
    const std::map<std::string, std::string>& types() const { return types_; }

  private:
    void read(const std::string& line) {
        static const std::regex help(
            "# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\\]|\\\\[\\\\n])*)");
        static const std::regex type(
            "# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)");
        std::smatch found;
        if (std::regex_match(line, found, help)) {
            EXPECT_TRUE(helps_.insert(found[1]).second) << "two helps: " << line;
        } else if (std::regex_match(line, found, type)) {
            EXPECT_TRUE(types_.emplace(found[1], found[2]).second) << "two types: " << line;
            EXPECT_TRUE(helps_.contains(found[1])) << "no help: " << line;
            family_ = found[1];
        } else {
            readSample(line);
        }
    }

    void readSample(const std::string& line) {
        static const std::regex sample(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)"
            "(\\{[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\]|\\\\[\\\\\"n])*\""
            "(?:,[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\]|\\\\[\\\\\"n])*\")*\\})? "
            "([+-]?(?:[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|Inf)|NaN)");
        std::smatch found;
        ASSERT_TRUE(std::regex_match(line, found, sample)) << line;
        EXPECT_TRUE(belongs(found[1])) << line << " stands in " << family_;
        const std::string name = found[1].str() + found[2].str();
        EXPECT_TRUE(samples_.emplace(name, std::stod(found[3])).second) << "twice: " << line;
        order_.push_back(name);
    }

    bool belongs(const std::string& name) const {
        if (family_.empty()) return false;
        const std::string& type = types_.at(family_);
        if (type == "counter" && !family_.ends_with("_total")) return false;
        if (type != "histogram") return name == family_;
        return name == family_ + "_bucket" || name == family_ + "_sum" ||
               name == family_ + "_count";
    }

    // Bounds and counts grow, the last bound is +Inf, and its count is the count.
    void checkHistogram(const std::string& family) {
        static const std::regex bound("(.*)[{,]le=\"([^\"]*)\"\\}");
        std::map<std::string, std::pair<double, double>> last;  // by the other labels
        for (const std::string& name : order_) {
            std::smatch found;
            if (!name.starts_with(family + "_bucket")) continue;
            ASSERT_TRUE(std::regex_match(name, found, bound)) << name;
            const std::string others = found[1];
            const double le = std::stod(found[2]);
            const auto before = last.find(others);
            if (before != last.end()) {
                EXPECT_GT(le, before->second.first) << name;
                EXPECT_GE(samples_.at(name), before->second.second) << name;
            }
            last[others] = {le, samples_.at(name)};
        }
        for (const auto& [others, end] : last) {
            EXPECT_TRUE(std::isinf(end.first)) << others;
            const std::string labels = others.substr((family + "_bucket").size());
            const std::string closed = labels.empty() ? "" : labels + "}";
            EXPECT_EQ(value(family + "_count" + closed), end.second) << others;
            EXPECT_TRUE(has(family + "_sum" + closed)) << others;
        }
    }

    std::string family_;
    std::set<std::string> helps_;
    std::map<std::string, std::string> types_;
    std::map<std::string, double> samples_;
    std::vector<std::string> order_;
};

}  // namespace routertest
