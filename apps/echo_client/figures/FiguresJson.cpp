#include "echo_client/figures/FiguresJson.h"

#include <limits>
#include <stdexcept>

#include "common/Printable.h"

namespace load {

using nlohmann::json;

namespace {

using Reasons = std::map<std::string, std::size_t>;

// A thousand such still fit in 64 bits.
constexpr std::uint64_t largestNumber = std::uint64_t{1} << 53;
// Two years, of all dispatchers together: a hundred such still fit in 64 bits.
constexpr std::uint64_t longestTime = std::uint64_t{1} << 56;

// --- to JSON --------------------------------------------------------------------------------

std::string cut(const std::string& text) {
    return text.substr(0, maximumTextBytes);
}

json toJson(const LatencyHistogram& histogram) {
    json buckets = json::array();
    histogram.forEach([&](LatencyHistogram::Duration value, std::uint64_t times) {
        buckets.push_back({value.count(), times});
    });
    return {{"min", histogram.min().count()},
            {"max", histogram.max().count()},
            {"sum", histogram.sumNanoseconds()},
            {"buckets", std::move(buckets)}};
}

json toJson(const Reasons& reasons) {
    json object = json::object();
    std::string last;
    for (const auto& [reason, count] : reasons) {
        if (object.size() < maximumReasons) object[last = cut(reason)] = 0;
        object[last] = object[last].get<std::size_t>() + count;
    }
    return object;
}

json toJson(const Outages& outages) {
    json list = json::array();
    for (const Outage& each : outages.all()) {
        list.push_back(
            {each.from.count(), each.to.count(), each.connections, each.lost, each.late});
    }
    return list;
}

json toJson(const LoadErrors& errors) {
    return {{"connect", toJson(errors.connect)},
            {"reset", errors.reset},
            {"closedEarly", errors.closedEarly},
            {"timedOut", errors.timedOut},
            {"other", toJson(errors.other)},
            {"lost", errors.lost},
            {"duplicated", errors.duplicated},
            {"reordered", errors.reordered},
            {"corrupted", errors.corrupted},
            {"connectExample", cut(errors.connectExample)},
            {"wrongAnswerExample", cut(errors.wrongAnswerExample)},
            {"badFrame", cut(errors.badFrame)}};
}

// --- from JSON ------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& place, const char* why) {
    throw std::invalid_argument(place + ": " + why);
}

// One object of the figures, and where it is.
class Reader {
  public:
    Reader(const json& object, std::string place) : object_(object), place_(std::move(place)) {
        if (!object.is_object()) refuse(place_, "not an object");
    }

    Reader at(const char* name) const { return {find(name), nameOf(name)}; }
    std::uint64_t number(const char* name, std::uint64_t most = largestNumber) const {
        return numberOf(find(name), nameOf(name), most);
    }
    LatencyHistogram::Duration time(const char* name) const {
        return LatencyHistogram::Duration(number(name, std::numeric_limits<std::int64_t>::max()));
    }
    std::string text(const char* name, std::string_view kept = "") const {
        const json& value = find(name);
        if (!value.is_string()) refuse(nameOf(name), "not a string");
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() > maximumTextBytes) refuse(nameOf(name), "too long");
        return apps::printable(text, kept);
    }
    Reasons reasons(const char* name) const {
        const json& object = find(name);
        if (!object.is_object()) refuse(nameOf(name), "not an object");
        if (object.size() > maximumReasons) refuse(nameOf(name), "too many reasons");
        Reasons reasons;
        for (const auto& [reason, count] : object.items()) {
            if (reason.size() > maximumTextBytes) refuse(nameOf(name), "a reason is too long");
            reasons[apps::printable(reason)] += numberOf(count, nameOf(name), largestNumber);
        }
        return reasons;
    }
    Outages outages(const char* name) const {
        const json& list = find(name);
        const std::string place = nameOf(name);
        if (!list.is_array()) refuse(place, "not an array");
        if (list.size() > Outages::most) refuse(place, "too many");
        Outages outages;
        for (const json& each : list) {
            if (!each.is_array() || each.size() != 5) refuse(place, "not five numbers");
            outages.add({nio::Clock::duration(numberOf(each[0], place, longestTime)),
                         nio::Clock::duration(numberOf(each[1], place, longestTime)),
                         numberOf(each[2], place, largestNumber),
                         numberOf(each[3], place, largestNumber),
                         numberOf(each[4], place, largestNumber)});
        }
        return outages;
    }
    LatencyHistogram histogram(const char* name) const {
        const Reader from = at(name);
        auto histogram = LatencyHistogram::restore(from.buckets(), from.time("min"),
                                                   from.time("max"), from.number("sum", allBits));
        if (!histogram) refuse(nameOf(name), "not a valid histogram");
        return *std::move(histogram);
    }

  private:
    static constexpr std::uint64_t allBits = std::numeric_limits<std::uint64_t>::max();

    static std::uint64_t numberOf(const json& value, const std::string& place, std::uint64_t most) {
        const bool isNegative = value.is_number_integer() && !value.is_number_unsigned() &&
                                value.get<std::int64_t>() < 0;
        if (!value.is_number_integer() || isNegative) refuse(place, "not a whole number");
        const auto number = value.get<std::uint64_t>();
        if (number > most) refuse(place, "too large");
        return number;
    }

    std::vector<LatencyHistogram::Bucket> buckets() const {
        const json& pairs = find("buckets");
        const std::string place = nameOf("buckets");
        if (!pairs.is_array()) refuse(place, "not an array");
        if (pairs.size() > LatencyHistogram::groups * LatencyHistogram::bucketsOfGroup) {
            refuse(place, "too many");
        }
        std::vector<LatencyHistogram::Bucket> buckets;
        for (const json& pair : pairs) {
            if (!pair.is_array() || pair.size() != 2) refuse(place, "not pairs");
            const auto value = numberOf(pair[0], place, largestNumber);
            buckets.emplace_back(value, numberOf(pair[1], place, largestNumber));
        }
        return buckets;
    }

    const json& find(const char* name) const {
        const auto found = object_.find(name);
        if (found == object_.end()) refuse(nameOf(name), "missing");
        return *found;
    }
    std::string nameOf(const char* name) const {
        return place_.empty() ? name : place_ + "." + name;
    }

    const json& object_;
    const std::string place_;
};

LoadErrors errorsOf(const Reader& from) {
    LoadErrors errors;
    errors.connect = from.reasons("connect");
    errors.reset = from.number("reset");
    errors.closedEarly = from.number("closedEarly");
    errors.timedOut = from.number("timedOut");
    errors.other = from.reasons("other");
    errors.lost = from.number("lost");
    errors.duplicated = from.number("duplicated");
    errors.reordered = from.number("reordered");
    errors.corrupted = from.number("corrupted");
    errors.connectExample = from.text("connectExample");
    errors.wrongAnswerExample = from.text("wrongAnswerExample");
    errors.badFrame = from.text("badFrame", "\n");
    return errors;
}

LoadFigures figuresOf(const Reader& from) {
    LoadFigures figures;
    figures.latency = from.histogram("latency");
    figures.service = from.histogram("service");
    figures.lateness = from.histogram("lateness");
    figures.outside = from.histogram("outside");
    figures.inTime = from.number("inTime");
    figures.bytes = from.number("bytes");
    figures.held = from.number("held");
    figures.offline = from.number("offline");
    figures.unsent = from.number("unsent");
    figures.unanswered = from.number("unanswered");
    figures.connect = from.histogram("connect");
    figures.handshake = from.histogram("handshake");
    figures.resumed = from.number("resumed");
    figures.sent = from.number("sent");
    figures.answered = from.number("answered");
    figures.answeredBytes = from.number("answeredBytes");
    figures.outages = from.outages("outages");
    figures.down = from.number("down");
    figures.reconnectsFailed = from.number("reconnectsFailed");
    figures.busy = nio::Clock::duration(from.number("busy", longestTime));
    figures.covered = nio::Clock::duration(from.number("covered", longestTime));
    figures.stoodStill = nio::Clock::duration(from.number("stoodStill", longestTime));
    figures.errors = errorsOf(from.at("errors"));
    return figures;
}

}  // namespace

json figuresToJson(const LoadFigures& figures) {
    return {{"latency", toJson(figures.latency)},
            {"service", toJson(figures.service)},
            {"lateness", toJson(figures.lateness)},
            {"outside", toJson(figures.outside)},
            {"inTime", figures.inTime},
            {"bytes", figures.bytes},
            {"held", figures.held},
            {"offline", figures.offline},
            {"unsent", figures.unsent},
            {"unanswered", figures.unanswered},
            {"connect", toJson(figures.connect)},
            {"handshake", toJson(figures.handshake)},
            {"resumed", figures.resumed},
            {"sent", figures.sent},
            {"answered", figures.answered},
            {"answeredBytes", figures.answeredBytes},
            {"outages", toJson(figures.outages)},
            {"down", figures.down},
            {"reconnectsFailed", figures.reconnectsFailed},
            {"busy", figures.busy.count()},
            {"covered", figures.covered.count()},
            {"stoodStill", figures.stoodStill.count()},
            {"errors", toJson(figures.errors)}};
}

nio::Result<LoadFigures> figuresFromJson(const json& from) try {
    return figuresOf(Reader(from, ""));
} catch (const std::invalid_argument& refused) {
    return nio::Error(std::errc::invalid_argument, refused.what());
}

}  // namespace load
