#include "echo_client/plan/RateCurve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "common/Quantity.h"

namespace load {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double mostSeconds = 1e6;  // of all stages together

nio::Error refuse(const std::string& text, const std::string& why) {
    return {std::errc::invalid_argument, "'" + text + "': " + why};
}

// Unlike --rate, a stage may pause, and a rise may begin at nothing.
nio::Result<double> parseStageRate(const std::string& text) {
    if (text == "0" || text == "0/s") return 0.0;
    return apps::parseRate(text);
}

}  // namespace

RateCurve RateCurve::constant(double perSecond) {
    RateCurve curve;
    curve.append(infinite, perSecond, perSecond);
    return curve;
}

nio::Result<RateCurve> RateCurve::parseStages(const std::string& text) {
    RateCurve curve;
    curve.hasStages_ = true;
    std::istringstream parts(text + ",");
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t colon = part.find(':');
        if (colon == std::string::npos)
            return refuse(text, "a stage is TIME:RATE or TIME:RATE-RATE");
        const auto time = apps::parseDuration(part.substr(0, colon));
        if (!time) return time.error();
        if (time.value().count() == 0) return refuse(text, "a stage must be longer than 0");
        const std::string rates = part.substr(colon + 1);
        const std::size_t dash = rates.find('-');
        const auto from = parseStageRate(rates.substr(0, dash));
        if (!from) return refuse(part, from.error().context());
        const auto to = dash == std::string::npos ? from : parseStageRate(rates.substr(dash + 1));
        if (!to) return refuse(part, to.error().context());
        curve.append(std::chrono::duration<double>(time.value()).count(), from.value(), to.value());
    }
    if (curve.stages_.back().begin + curve.stages_.back().seconds > mostSeconds) {
        return refuse(text, "the stages last longer than 1000000 s");
    }
    if (!(curve.messagesBy(infinite) > 0)) return refuse(text, "no stage sends anything");
    return curve;
}

void RateCurve::append(double seconds, double from, double to) {
    Stage stage{0, seconds, from, to, 0};
    if (!stages_.empty()) {
        stage.begin = stages_.back().begin + stages_.back().seconds;
        stage.before = stages_.back().before + stages_.back().messages();
    }
    stages_.push_back(stage);
}

double RateCurve::Stage::messages() const {
    return seconds * (from + to) / 2;
}

double RateCurve::Stage::messagesBy(double time) const {
    return time * (from + (to - from) * time / seconds / 2);
}

// The root of messagesBy(), in the form that does not cancel.
double RateCurve::Stage::timeOf(double count) const {
    if (count <= 0) return 0;
    const double square = from * from + 2 * (to - from) / seconds * count;
    return std::min(seconds, 2 * count / (from + std::sqrt(std::max(0.0, square))));
}

const RateCurve::Stage& RateCurve::stageAt(double seconds) const {
    const auto later = [](double when, const Stage& stage) { return when < stage.begin; };
    return *(std::upper_bound(stages_.begin() + 1, stages_.end(), seconds, later) - 1);
}

double RateCurve::timeOf(double messages) const {
    // The last stage that begins with so many: the ones before it that pause are over.
    const auto more = [](double count, const Stage& stage) { return count < stage.before; };
    const Stage& stage =
        *(std::upper_bound(stages_.begin() + 1, stages_.end(), messages, more) - 1);
    const double count = messages - stage.before;
    return count < stage.messages() ? stage.begin + stage.timeOf(count) : infinite;
}

double RateCurve::messagesBy(double seconds) const {
    if (!(seconds > 0)) return 0;
    const Stage& stage = stageAt(seconds);
    const double time = seconds - stage.begin;
    return stage.before + (time < stage.seconds ? stage.messagesBy(time) : stage.messages());
}

double RateCurve::rateAt(double seconds) const {
    if (seconds < 0) return 0;
    const Stage& stage = stageAt(seconds);
    const double time = seconds - stage.begin;
    return time < stage.seconds ? stage.from + (stage.to - stage.from) * time / stage.seconds : 0;
}

double RateCurve::meanRate(double from, double to) const {
    if (!(to > from) || !hasStages_) return rateAt(from);
    return (messagesBy(to) - messagesBy(from)) / (to - from);
}

std::chrono::nanoseconds RateCurve::length() const {
    if (!hasStages_) return std::chrono::nanoseconds::max();
    const double seconds = stages_.back().begin + stages_.back().seconds;
    return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

std::string RateCurve::toString() const {
    if (!hasStages_) return apps::writeNumber(stages_.front().from) + "/s";
    std::string text;
    for (const Stage& stage : stages_) {
        const std::chrono::nanoseconds time(std::llround(stage.seconds * 1e9));
        text += (text.empty() ? "" : ",") + apps::writeDuration(time) + ":" +
                apps::writeNumber(stage.from);
        if (stage.to != stage.from) text += "-" + apps::writeNumber(stage.to);
    }
    return text;
}

}  // namespace load
