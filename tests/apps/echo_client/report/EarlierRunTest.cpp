#include "echo_client/report/EarlierRun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "echo_client/report/LoadReport.h"

namespace {

using load::EarlierRun;
using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

json times() {
    return {{"min", 1},    {"mean", 2},    {"p50", 3},      {"p90", 4},  {"p95", 5},
            {"p99", 6.25}, {"p99.9", 700}, {"p99.99", 800}, {"max", 900}};
}

json result() {
    return {{"schema", 2},
            {"framing", "raw"},
            {"size", "64"},
            {"tls", false},
            {"mode", "answers"},
            {"send", nullptr},
            {"pipeline", 1},
            {"loop", "open"},
            {"rate", {{"offered", 1000}, {"arrivals", "poisson"}, {"stages", nullptr}}},
            {"connections", {{"asked", 50}}},
            {"echoes", 97},
            {"echoesPerSecond", 998.5},
            {"latencyMicroseconds", times()},
            {"unsent", 0},
            {"unanswered", 3},
            {"errors",
             {{"connect", {{"refused", 2}}}, {"timedOut", 3}, {"wrongAnswer", 4}, {"lost", 4}}},
            {"warning", "a dispatcher was busy"},
            {"late", false},
            {"stoodStillSeconds", 0},
            {"exitCode", 3},
            {"serverProcess", {{"cpuMicrosecondsPerEcho", 4.5}}},
            {"repeats", nullptr},
            {"series",
             {{{"at", 0.5},
               {"perSecond", 1000.5},
               {"megabytesPerSecond", 0.064},
               {"p50", 31.5},
               {"p90", 40},
               {"p99", 90},
               {"p99.9", 120},
               {"max", 150.25},
               {"errors", 2},
               {"connectionsDown", 0},
               {"phase", "measuring"}}}},
            {"histogram",
             {{"unit", "ns"}, {"significantDigits", 3}, {"buckets", {{1000, 3}, {2047, 1}}}}}};
}

load::Requirement requirement(const std::string& text) {
    return load::Requirement::parse(text).orThrow();
}

std::string refusal(const json& from) {
    const auto run = EarlierRun::parse("old.json", from.dump());
    return run ? "accepted" : run.error().context();
}

// A file that is gone when the test is over.
class File {
  public:
    explicit File(const std::string& text)
        : path_(testing::TempDir() + "earlier-run-" +
                testing::UnitTest::GetInstance()->current_test_info()->name() + ".json") {
        std::ofstream(path_) << text;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::filesystem::remove(path_); }
    const std::string& path() const { return path_; }

  private:
    const std::string path_;
};

TEST(EarlierRun, HasTheSeriesAndTheHistogramOfItsFile) {
    const File file(result().dump());
    const EarlierRun run = EarlierRun::read(file.path()).orThrow();
    EXPECT_EQ(run.name, file.path());
    ASSERT_EQ(run.series.size(), 1U);
    EXPECT_EQ(run.series[0].at, 0.5);
    EXPECT_EQ(run.series[0].perSecond, 1000.5);
    EXPECT_EQ(run.series[0].p50, 31.5);
    EXPECT_EQ(run.series[0].p999, 120);
    EXPECT_EQ(run.series[0].max, 150.25);
    EXPECT_EQ(run.series[0].errors, 2U);
    EXPECT_TRUE(run.series[0].isMeasured());
    EXPECT_EQ(run.latency.count(), 4U);
    EXPECT_EQ(run.latency.percentile(75), 1000ns);
    EXPECT_EQ(run.latency.max(), 2047ns);
}

TEST(EarlierRun, HasTheFiguresThatItIsComparedBy) {
    const EarlierRun run = EarlierRun::parse("x", result().dump()).orThrow();
    ASSERT_EQ(run.runs.size(), 1U);
    EXPECT_EQ(run.runs[0].perSecond, 998.5);
    EXPECT_EQ(run.runs[0].times.at("p99.9"), 700);
    EXPECT_EQ(run.runs[0].errors, 9);
    EXPECT_EQ(run.runs[0].cpuMicros, 4.5);
    EXPECT_FALSE(run.runs[0].wasLate);
    EXPECT_EQ(run.load.at("connections"), "50");
    EXPECT_EQ(run.load.at("rate"), "1000");
    EXPECT_EQ(run.load.at("arrivals"), "poisson");
    EXPECT_EQ(run.load.at("beside"), "none");
    EXPECT_EQ(run.exitCode, 3);
}

TEST(EarlierRun, GivesTheValueOfARequirement) {
    const EarlierRun run = EarlierRun::parse("x", result().dump()).orThrow();
    EXPECT_EQ(run.runs[0].valueOf("rate"), 998.5);
    EXPECT_EQ(run.runs[0].valueOf("min"), 1000);
    EXPECT_EQ(run.runs[0].valueOf("errors"), 9);
    EXPECT_TRUE(std::isinf(run.runs[0].valueOf("p99").value())) << "3 % are unanswered";
    EXPECT_TRUE(std::isinf(run.runs[0].valueOf("max").value()));
    for (const char* unknown : {"p98", "service.p99", "lost"})
        EXPECT_FALSE(run.runs[0].valueOf(unknown));
}

// As the run itself would have judged.
TEST(EarlierRun, CountsUnansweredMessagesLikeItsRun) {
    load::LoadReport report;
    const auto valueOf = [&report](const std::string& figure) {
        return EarlierRun::parse("x", load::toJson(report))
            .orThrow()
            .runs[0]
            .valueOf(figure)
            .value_or(-1);
    };
    const auto exact = [&report](const std::string& figure) {
        return requirement(figure + "<1s").valueIn(report.result);
    };
    auto& total = report.result.total;
    total.unanswered = 5;
    EXPECT_TRUE(std::isnan(valueOf("p99"))) << "no answer at all";
    for (int i = 1; i <= 999; ++i) total.latency.record(i * 8'323ns);
    for (const auto& [unanswered, figure] : {std::pair{0, "p99.9"},
                                             {0, "max"},
                                             {0, "p95"},
                                             {1, "min"},
                                             {1, "max"},
                                             {1, "mean"},
                                             {1, "p99.99"},
                                             {2, "p99.9"}}) {
        total.unanswered = static_cast<std::uint64_t>(unanswered);
        EXPECT_EQ(valueOf(figure), exact(figure)) << figure << ", unanswered: " << unanswered;
    }
    total.unanswered = 1;
    EXPECT_EQ(valueOf("p99.9"), -1) << "it is the slowest answer, which the file does not tell";
    EXPECT_EQ(valueOf("p95"), -1) << "that of the answers is less";
}

TEST(EarlierRun, TellsThatItsGeneratorStoodStill) {
    load::LoadReport report;
    const auto run = [&report] {
        return EarlierRun::parse("x", load::toJson(report)).orThrow().runs.front();
    };
    EXPECT_FALSE(run().wasLate);
    report.result.dispatchers.push_back({"load-0", 0.99});
    EXPECT_FALSE(run().wasLate) << "a closed loop may be busy";
    report.result.total.stoodStill = 1500ms;
    EXPECT_TRUE(run().wasLate);
    EXPECT_EQ(run().stoodStill, 1.5);
    report.repeats.push_back(report.result);
    EXPECT_EQ(run().stoodStill, 1.5);
}

TEST(EarlierRun, HasNothingThatChangesATerminal) {
    json from = result();
    from["size"] = "64\x1b[31m";
    from["send"] = {{{"message", "a\rb"}, {"expect", "c"}, {"weight", 1}}};
    const EarlierRun run = EarlierRun::parse("a\nb", from.dump()).orThrow();
    EXPECT_EQ(run.name, "a?b");
    EXPECT_EQ(run.load.at("size"), "64?[31m");
    EXPECT_EQ(run.load.at("send"), "'a?b' expecting 'c' with weight 1");
}

TEST(EarlierRun, HasEachOfTheRepeats) {
    load::LoadReport report;
    for (const int micros : {30, 10, 20}) {
        load::LoadResult one;
        one.measured = 1s;
        one.total.inTime = 100;
        one.total.latency.recordTimes(micros * 1us, 100);
        one.total.errors.timedOut = static_cast<std::size_t>(micros);
        report.repeats.push_back(one);
    }
    const EarlierRun run = EarlierRun::parse("x", load::toJson(report)).orThrow();
    EXPECT_EQ(run.runs.size(), 3U);
    EXPECT_EQ(run.valueOf(requirement("rate>=before")), 100);
    EXPECT_NEAR(run.valueOf(requirement("p50<=before")).value(), 20'000, 20);
    EXPECT_EQ(run.valueOf(requirement("errors<=before")), 30) << "the most of any run";
}

TEST(EarlierRun, IsOneRunIfItsRepeatsTellTooLittle) {
    json older = result();
    older["repeats"]["runs"] = {
        {{"echoesPerSecond", 1}, {"latencyMicroseconds", times()}, {"errors", 0}, {"warning", ""}}};
    const EarlierRun run = EarlierRun::parse("x", older.dump()).orThrow();
    ASSERT_EQ(run.runs.size(), 1U);
    EXPECT_EQ(run.runs[0].perSecond, 998.5);
}

TEST(EarlierRun, ReadsWhatAReportWrites) {
    load::LoadReport report;
    for (int i = 1; i <= 1000; ++i) report.result.total.latency.record(i * 37us);
    report.result.series.resize(7);
    const EarlierRun run = EarlierRun::parse("x", load::toJson(report)).orThrow();
    EXPECT_EQ(run.series.size(), 7U);
    EXPECT_EQ(run.latency.count(), 1000U);
    EXPECT_EQ(run.latency.percentile(99), report.result.total.latency.percentile(99));
}

TEST(EarlierRun, ReadsThatThereWasNoAnswer) {
    load::LoadReport report;
    report.result.series.resize(1);
    const EarlierRun run = EarlierRun::parse("x", load::toJson(report)).orThrow();
    const load::Point& point = run.series.at(0);
    for (const double time : {point.p50, point.p90, point.p99, point.p999, point.max}) {
        EXPECT_TRUE(std::isnan(time));
    }
}

TEST(EarlierRun, OfARunWithoutAnswersIsEmpty) {
    const EarlierRun run = EarlierRun::parse("x", load::toJson(load::LoadReport())).orThrow();
    EXPECT_EQ(run.latency.count(), 0U);
    EXPECT_TRUE(run.series.empty());
}

TEST(EarlierRun, ThatIsNotThereIsSaidInOneLine) {
    const auto run = EarlierRun::read("/nowhere/old.json");
    ASSERT_FALSE(run);
    EXPECT_TRUE(run.error().is(std::errc::no_such_file_or_directory));
    EXPECT_EQ(run.error().context(), "/nowhere/old.json: No such file or directory");
}

TEST(EarlierRun, ThatIsAFolderCannotBeRead) {
    const auto run = EarlierRun::read(testing::TempDir());
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().context(), HasSubstr(": "));
}

TEST(EarlierRun, ThatHasNoEndIsRefused) {
    const auto run = EarlierRun::read("/dev/zero");
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().context(), "/dev/zero: File too large");
}

TEST(EarlierRun, MustBeJson) {
    for (const char* text : {"", "{", "latency 31 us", "\xff"}) {
        const auto run = EarlierRun::parse("old.json", text);
        ASSERT_FALSE(run);
        EXPECT_EQ(run.error().context(), "old.json: not JSON");
    }
}

TEST(EarlierRun, MustHaveTheSchemaOfThisProgram) {
    json old = result();
    old["schema"] = 1;
    const auto run = EarlierRun::parse("old.json", old.dump());
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().context(), "old.json: not a result of echo-client: \"schema\" is not 2");
}

TEST(EarlierRun, MustBeAResult) {
    for (const json& other : {json::array(), json::object(), json(7), json{{"series", 7}}}) {
        EXPECT_THAT(refusal(other), HasSubstr("old.json: not a result of echo-client")) << other;
    }
}

// Deeper than functions can call each other.
std::string refusalOfNest(const char* where, const std::string& open, const std::string& close) {
    json from = result();
    from[json::json_pointer(where)] = "here";
    std::string text = from.dump();
    constexpr int levels = 50'000;
    std::string deep;
    for (int i = 0; i < levels; ++i) deep += open;
    deep += "1";
    for (int i = 0; i < levels; ++i) deep += close;
    const std::string mark = "\"here\"";
    text.replace(text.find(mark), mark.size(), deep);
    const auto run = EarlierRun::parse("x", text);
    return run ? "accepted" : run.error().context();
}

TEST(EarlierRun, RefusesWhatIsNestedDeeply) {
    EXPECT_THAT(refusalOfNest("/errors/other", "{\"a\":", "}"), HasSubstr("is not a number"));
    EXPECT_THAT(refusalOfNest("/size", "[", "]"), HasSubstr("a text or number is missing"));
    EXPECT_THAT(refusalOfNest("/send", "[", "]"), HasSubstr("an object is missing"));
}

TEST(EarlierRun, NamesWhatIsMissingOrWrong) {
    const auto changed = [](const char* where, const json& value) {
        json from = result();
        from[json::json_pointer(where)] = value;
        return refusal(from);
    };
    EXPECT_THAT(changed("/series/0/p99", "fast"), HasSubstr("\"p99\" is not a number"));
    EXPECT_THAT(changed("/series/0/at", nullptr), HasSubstr("\"at\" is not a number"));
    EXPECT_THAT(changed("/series/0/at", -1), HasSubstr("\"at\" is out of range"));
    EXPECT_THAT(changed("/series/0/at", 1e300), HasSubstr("\"at\" is out of range"));
    EXPECT_THAT(changed("/series/0", 3), HasSubstr("an object is missing"));
    EXPECT_THAT(changed("/latencyMicroseconds/p50", 1e16), HasSubstr("\"p50\" is out of range"));
    EXPECT_THAT(changed("/errors/connect", {{"a\nb", "c"}}), HasSubstr("\"a?b\" is not a number"));
    EXPECT_THAT(changed("/histogram", json::object()), HasSubstr("\"unit\" is missing"));
    EXPECT_THAT(changed("/histogram/unit", "us"), HasSubstr("unit is not \"ns\""));
    EXPECT_THAT(changed("/histogram/buckets/0", {1, 2, 3}), HasSubstr("not a pair"));
    EXPECT_THAT(changed("/histogram/buckets/0/1", -3), HasSubstr("not a pair"));
    EXPECT_THAT(changed("/histogram/buckets/0/0", UINT64_MAX), HasSubstr("too large"));
    EXPECT_THAT(changed("/histogram/buckets/0/1", UINT64_MAX), HasSubstr("too large"));
}

}  // namespace
