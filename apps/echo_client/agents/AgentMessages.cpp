#include "echo_client/agents/AgentMessages.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/Printable.h"
#include "echo_client/figures/FiguresJson.h"

namespace load::wire {

using apps::printable;
using nlohmann::json;

namespace {

constexpr int deepest = 8;  // figures need half of it
constexpr std::size_t mostArguments = 1000;
constexpr std::size_t longestArgument = 64 * 1024;
constexpr std::size_t longestText = 1024;
constexpr std::uint64_t largestNumber = std::uint64_t{1} << 53;
constexpr std::uint64_t largestTime = std::uint64_t{1} << 62;
constexpr std::uint64_t largestCount = 1'000'000;

const std::map<std::string, Order::What>& orders() {
    static const std::map<std::string, Order::What> names{{"connect", Order::What::connect},
                                                          {"report", Order::What::report},
                                                          {"stop", Order::What::stop},
                                                          {"giveUp", Order::What::giveUp}};
    return names;
}

// --- to text --------------------------------------------------------------------------------

// A path or a text of the system need not be UTF-8.
std::string text(const char* name, json object) {
    object["message"] = name;
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

json numberOf(nio::TimePoint time) {
    return time.time_since_epoch().count();
}

// --- from text ------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& what, const char* why) {
    throw std::invalid_argument(what + ": " + why);
}

class Fields {
  public:
    explicit Fields(const json& object) : object_(object) {
        if (!object.is_object()) refuse("the message", "not an object");
    }

    std::uint64_t number(const char* name, std::uint64_t most) const {
        const json& value = find(name);
        if (!value.is_number_unsigned()) refuse(name, "not a whole number");
        const auto number = value.get<std::uint64_t>();
        if (number > most) refuse(name, "too large");
        return number;
    }
    std::size_t worker() const { return number("worker", mostWorkers - 1); }
    nio::TimePoint time(const char* name) const {
        return nio::TimePoint(nio::Clock::duration(number(name, largestTime)));
    }
    std::string text(const char* name, std::size_t longest = longestText) const {
        return textOf(find(name), name, longest);
    }
    std::vector<std::string> texts(const char* name, std::size_t most, std::size_t longest) const {
        const json& array = find(name);
        if (!array.is_array()) refuse(name, "not an array");
        if (array.size() > most) refuse(name, "too many");
        std::vector<std::string> texts;
        for (const json& value : array) texts.push_back(textOf(value, name, longest));
        return texts;
    }
    const json& find(const char* name) const {
        const auto found = object_.find(name);
        if (found == object_.end()) refuse(name, "missing");
        return *found;
    }

  private:
    static std::string textOf(const json& value, const char* name, std::size_t longest) {
        if (!value.is_string()) refuse(name, "not a string");
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() > longest) refuse(name, "too long");
        return text;
    }

    const json& object_;
};

json parse(nio::ByteView packet) {
    const auto isShallow = [](int depth, json::parse_event_t, json&) {
        if (depth > deepest) refuse("the message", "nested too deeply");
        return true;
    };
    try {
        const std::string_view text = nio::asText(packet);
        return json::parse(text.begin(), text.end(), isShallow);
    } catch (const json::exception&) {
        refuse("the message", "not JSON");
    }
}

template <class Message>
using Readers = std::map<std::string, Message (*)(const Fields&)>;

template <class Message>
nio::Result<Message> read(nio::ByteView packet, const Readers<Message>& readers) try {
    const json object = parse(packet);
    const Fields fields(object);
    const auto reader = readers.find(fields.text("message"));
    if (reader == readers.end()) refuse("message", "unknown");
    return reader->second(fields);
} catch (const std::invalid_argument& refused) {
    return nio::Error(std::errc::invalid_argument, refused.what());
}

ToAgent readPrepare(const Fields& from) {
    Prepare prepare;
    prepare.arguments = from.texts("arguments", mostArguments, longestArgument);
    prepare.crews = from.number("crews", mostCrews);
    prepare.crew = from.number("crew", mostCrews);
    if (prepare.crew >= prepare.crews) refuse("crew", "out of range");
    return prepare;
}

ToAgent readOrder(const Fields& from) {
    return Order{orders().at(from.text("message")), from.worker()};
}

ToAgent readSend(const Fields& from) {
    const LoadSchedule schedule{from.time("begin"), from.time("from"), from.time("to")};
    if (schedule.from < schedule.begin) refuse("from", "earlier than begin");
    if (schedule.to < schedule.from) refuse("to", "earlier than from");
    return Send{from.worker(), schedule};
}

FromAgent readReady(const Fields& from) {
    Ready ready{from.texts("workers", mostWorkers, longestText), printable(from.text("selector"))};
    if (ready.workers.empty()) refuse("workers", "none");
    for (std::string& name : ready.workers) name = printable(name);
    return ready;
}

FromAgent readFigures(const Fields& from) {
    auto figures = figuresFromJson(from.find("figures"));
    if (!figures) throw std::invalid_argument("figures: " + figures.error().context());
    return Reported{from.worker(), std::make_unique<LoadFigures>(std::move(figures).value())};
}

const Readers<ToAgent>& readersToAgent() {
    static const Readers<ToAgent> readers{
        {"hello",
         [](const Fields& from) -> ToAgent {
             return Hello{from.number("version", largestNumber), from.text("token")};
         }},
        {"ping",
         [](const Fields& from) -> ToAgent { return Ping{from.number("number", largestNumber)}; }},
        {"prepare", readPrepare},
        {"connect", readOrder},
        {"report", readOrder},
        {"stop", readOrder},
        {"giveUp", readOrder},
        {"send", readSend}};
    return readers;
}

const Readers<FromAgent>& readersFromAgent() {
    static const Readers<FromAgent> readers{
        {"welcome",
         [](const Fields& from) -> FromAgent {
             return Welcome{from.number("version", largestNumber)};
         }},
        {"refused",
         [](const Fields& from) -> FromAgent { return Refused{printable(from.text("reason"))}; }},
        {"pong",
         [](const Fields& from) -> FromAgent {
             return Pong{from.number("number", largestNumber), from.time("clock")};
         }},
        {"ready", readReady},
        {"connected",
         [](const Fields& from) -> FromAgent {
             return Connected{from.worker(), from.number("made", largestCount)};
         }},
        {"figures", readFigures},
        {"finished", [](const Fields& from) -> FromAgent { return Finished{from.worker()}; }}};
    return readers;
}

}  // namespace

std::string write(const Hello& hello) {
    return text("hello", {{"version", hello.version}, {"token", hello.token}});
}

std::string write(const Ping& ping) {
    return text("ping", {{"number", ping.number}});
}

std::string write(const Prepare& prepare) {
    return text(
        "prepare",
        {{"arguments", prepare.arguments}, {"crew", prepare.crew}, {"crews", prepare.crews}});
}

std::string write(const Order& order) {
    const auto is = [&order](const auto& name) { return name.second == order.what; };
    const auto name = std::find_if(orders().begin(), orders().end(), is);
    return text(name->first.c_str(), {{"worker", order.worker}});
}

std::string write(const Send& send) {
    return text("send", {{"worker", send.worker},
                         {"begin", numberOf(send.schedule.begin)},
                         {"from", numberOf(send.schedule.from)},
                         {"to", numberOf(send.schedule.to)}});
}

std::string write(const Welcome& welcome) {
    return text("welcome", {{"version", welcome.version}});
}

std::string write(const Refused& refused) {
    return text("refused", {{"reason", refused.reason.substr(0, longestText)}});
}

std::string write(const Pong& pong) {
    return text("pong", {{"number", pong.number}, {"clock", numberOf(pong.clock)}});
}

std::string write(const Ready& ready) {
    return text("ready", {{"workers", ready.workers}, {"selector", ready.selector}});
}

std::string write(const Connected& connected) {
    return text("connected", {{"worker", connected.worker}, {"made", connected.made}});
}

std::string write(const Reported& reported) {
    return text("figures",
                {{"worker", reported.worker}, {"figures", figuresToJson(*reported.figures)}});
}

std::string write(const Finished& finished) {
    return text("finished", {{"worker", finished.worker}});
}

nio::Result<ToAgent> readToAgent(nio::ByteView packet) {
    return read(packet, readersToAgent());
}

nio::Result<FromAgent> readFromAgent(nio::ByteView packet) {
    return read(packet, readersFromAgent());
}

}  // namespace load::wire
