#include "echo_client/figures/FiguresJson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/echo_client/figures/SomeFigures.h"

namespace load {
namespace {

using nlohmann::json;
using testing::StartsWith;

// As the text that travels.
json journey(const LoadFigures& figures) {
    return json::parse(figuresToJson(figures).dump());
}

std::string complaintAbout(const json& sent) {
    const auto figures = figuresFromJson(sent);
    return figures.ok() ? "none" : figures.error().context();
}

TEST(FiguresJson, LosesNothing) {
    const LoadFigures sent = someFigures(7);
    const LoadFigures came = figuresFromJson(journey(sent)).value();
    EXPECT_EQ(came.latency, sent.latency);
    EXPECT_EQ(came.service, sent.service);
    EXPECT_EQ(came.lateness, sent.lateness);
    EXPECT_EQ(came.outside, sent.outside);
    EXPECT_EQ(came.connect, sent.connect);
    EXPECT_EQ(figuresToJson(came), figuresToJson(sent));
}

TEST(FiguresJson, NeedsNoJourneyAsText) {
    EXPECT_TRUE(figuresFromJson(figuresToJson(someFigures(7))));
}

TEST(FiguresJson, CarriesFiguresWithoutAnything) {
    EXPECT_EQ(figuresToJson(figuresFromJson(journey({})).value()), figuresToJson({}));
}

TEST(FiguresJson, GivesTheSameSumBeforeAndAfterTheJourney) {
    LoadFigures before = someFigures(7);
    before.merge(someFigures(8));
    LoadFigures after = figuresFromJson(journey(someFigures(7))).value();
    after.merge(figuresFromJson(journey(someFigures(8))).value());
    EXPECT_EQ(figuresToJson(after), figuresToJson(before));
    for (const double percent : {1.0, 50.0, 99.0, 99.9, 100.0}) {
        EXPECT_EQ(after.latency.percentile(percent), before.latency.percentile(percent));
    }
}

TEST(FiguresJson, KeepsLongLatencies) {
    LoadFigures figures;
    figures.latency.record(std::chrono::hours(2));
    EXPECT_EQ(figuresFromJson(journey(figures)).value().latency, figures.latency);
}

TEST(FiguresJson, NamesWhatIsMissing) {
    const json whole = journey(someFigures(7));
    for (const auto& [name, value] : whole.items()) {
        json part = whole;
        part.erase(name);
        EXPECT_EQ(complaintAbout(part), name + ": missing");
    }
    for (const auto& [name, value] : whole["errors"].items()) {
        json part = whole;
        part["errors"].erase(name);
        EXPECT_EQ(complaintAbout(part), "errors." + name + ": missing");
    }
    for (const auto& [name, value] : whole["connect"].items()) {
        json part = whole;
        part["connect"].erase(name);
        EXPECT_EQ(complaintAbout(part), "connect." + name + ": missing");
    }
}

TEST(FiguresJson, RefusesAnotherTypeInEveryPlace) {
    const json whole = journey(someFigures(7, 3));
    const json places = whole.flatten();
    for (const json& wrong : {json(nullptr), json(true), json(1.5), json(-1), json({-1})}) {
        EXPECT_NE(complaintAbout(wrong), "none");
        for (const auto& place : places.items()) {
            json changed = whole;
            changed[json::json_pointer(place.key())] = wrong;
            EXPECT_NE(complaintAbout(changed), "none") << place.key() << " " << wrong;
        }
        for (const char* place :
             {"/latency", "/latency/buckets", "/latency/buckets/0", "/errors", "/errors/connect"}) {
            json changed = whole;
            changed[json::json_pointer(place)] = wrong;
            EXPECT_NE(complaintAbout(changed), "none") << place << " " << wrong;
        }
    }
}

TEST(FiguresJson, RefusesNumbersThatAreTooLargeToBeSummed) {
    const json whole = journey(someFigures(7));
    for (const char* place : {"/bytes", "/sent", "/busy", "/covered", "/errors/lost",
                              "/latency/buckets/0/1", "/errors/connect/Connection refused"}) {
        json changed = whole;
        changed[json::json_pointer(place)] = std::uint64_t{1} << 60;
        EXPECT_NE(complaintAbout(changed), "none") << place;
    }
}

TEST(FiguresJson, RefusesAHistogramThatCannotBe) {
    json changed = journey(someFigures(7));
    changed["service"]["max"] = 1;
    EXPECT_EQ(complaintAbout(changed), "service: not a valid histogram");
}

TEST(FiguresJson, MakesTextsPrintable) {
    LoadFigures sent;
    sent.errors.connect["a\x1b[2J"] = 1;
    sent.errors.other["b\n"] = 2;
    sent.errors.other["b\r"] = 3;
    sent.errors.connectExample = "c\x7f";
    sent.errors.wrongAnswerExample = "d\u009b2J";
    sent.errors.badFrame = "0000  41\n0010\x1b[2J";
    const LoadErrors came = figuresFromJson(journey(sent)).value().errors;
    EXPECT_EQ(came.connect, (std::map<std::string, std::size_t>{{"a?[2J", 1}}));
    EXPECT_EQ(came.other, (std::map<std::string, std::size_t>{{"b?", 5}}));
    EXPECT_EQ(came.connectExample, "c?");
    EXPECT_EQ(came.wrongAnswerExample, "d?2J");
    EXPECT_EQ(came.badFrame, "0000  41\n0010?[2J");
}

TEST(FiguresJson, RefusesMoreTextThanItMakes) {
    json changed = journey(someFigures(7));
    changed["errors"]["badFrame"] = std::string(maximumTextBytes + 1, 'x');
    EXPECT_EQ(complaintAbout(changed), "errors.badFrame: too long");
    changed = journey(someFigures(7));
    for (std::size_t i = 0; i <= maximumReasons; ++i) {
        changed["errors"]["other"][std::to_string(i)] = 1;
    }
    EXPECT_THAT(complaintAbout(changed), StartsWith("errors.other: too many"));
}

TEST(FiguresJson, MakesNoMoreTextThanItTakes) {
    LoadFigures figures;
    figures.errors.badFrame.assign(maximumTextBytes + 100, 'x');
    for (std::size_t i = 0; i < maximumReasons + 9; ++i) {
        figures.errors.other["reason " + std::to_string(i)] = 1;
    }
    const LoadFigures came = figuresFromJson(journey(figures)).value();
    EXPECT_EQ(came.errors.badFrame.size(), maximumTextBytes);
    EXPECT_EQ(came.errors.other.size(), maximumReasons);
    EXPECT_EQ(came.errors.total(), figures.errors.total());
}

}  // namespace
}  // namespace load
