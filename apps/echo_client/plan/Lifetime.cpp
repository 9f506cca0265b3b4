#include "echo_client/plan/Lifetime.h"

#include <sstream>

#include "common/Quantity.h"
#include "echo_client/plan/Weighted.h"

namespace load {

namespace {

constexpr std::string_view messagesUnit = "msg";

nio::Error refusal(const std::string& text, const std::string& why) {
    return {std::errc::invalid_argument, "'" + text + "' " + why};
}

}  // namespace

nio::Result<Lifetime> Lifetime::parse(const std::string& text) {
    Lifetime lifetime;
    std::istringstream parts(text + ",");
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.ends_with(messagesUnit)) {
            const auto count = apps::parseCount(part.substr(0, part.size() - messagesUnit.size()));
            if (!count || count.value() == 0 || lifetime.messages != 0) {
                return refusal(text, "is not a lifetime: at least one message, such as 100msg");
            }
            lifetime.messages = count.value();
        } else {
            const auto time =
                apps::parseDurationWithin(std::chrono::nanoseconds(1), apps::longestTime, part);
            if (!time || lifetime.time.count() != 0) {
                return refusal(text, "is not a lifetime, such as 500ms, 100msg or 500ms,100msg");
            }
            lifetime.time = time.value();
        }
    }
    return lifetime;
}

std::string Lifetime::toString() const {
    std::string text = time.count() > 0 ? apps::writeDuration(time) : "";
    if (messages == 0) return text;
    if (!text.empty()) text += ',';
    return text.append(std::to_string(messages)).append(messagesUnit);
}

nio::Result<CloseMix> CloseMix::parse(const std::string& text) {
    const auto items = parseWeighted(text);
    if (!items) return items.error();
    CloseMix mix;
    mix.clean_ = 0;
    for (const auto& [what, weight] : items.value()) {
        double* const share = what == "clean"  ? &mix.clean_
                              : what == "rst"  ? &mix.reset_
                              : what == "half" ? &mix.half_
                                               : nullptr;
        if (share == nullptr) return refusal(what, "is not one of clean, half, rst");
        *share += weight;
    }
    return mix;
}

CloseWay CloseMix::draw(Random& random) const {
    const double place = random.fraction() * (clean_ + reset_ + half_);
    if (place < clean_) return CloseWay::clean;
    return place < clean_ + reset_ ? CloseWay::reset : CloseWay::half;
}

std::string CloseMix::toString() const {
    std::string text;
    const bool mixed = (clean_ > 0) + (reset_ > 0) + (half_ > 0) > 1;
    const auto add = [&](const char* name, double weight) {
        if (!(weight > 0)) return;
        text.append(text.empty() ? "" : ",").append(name);
        if (mixed) text.append(":").append(apps::writeNumber(weight));
    };
    add("clean", clean_);
    add("rst", reset_);
    add("half", half_);
    return text;
}

}  // namespace load
