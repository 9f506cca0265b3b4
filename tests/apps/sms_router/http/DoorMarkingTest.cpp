// How the parts of long messages are marked: as the message says, or as its connector wants it.
#include <gtest/gtest.h>

#include "apps/sms_router/http/DoorScene.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

// Two parts with a reference of 8 bits, three with one of 16.
const std::string longText(306, 'x');

std::string longTo(const std::string& to, const std::string& more = {}) {
    return R"({"to": ")" + to + R"(", "text": ")" + longText + "\"" + more + "}";
}

std::string markingOf(const OwnedPdu& part) {
    if (part->tlv(smpp::Tag::sarMsgRefNum)) return "sar";
    return part.message().substr(0, 3) == std::string("\x05\0\x03", 3) ? "udh8" : "udh16";
}

// That of all parts, which are accepted.
std::string markingAt(SmscBind& smsc, int parts) {
    std::string marking;
    for (int part = 0; part < parts; ++part) {
        const OwnedPdu submit = smsc.nextSubmit();
        if (part == 0) marking = markingOf(submit);
        EXPECT_EQ(markingOf(submit), marking);
        smsc.answer(submit, std::to_string(part));
    }
    return marking;
}

}  // namespace

TEST(DoorMarking, IsThatOfTheConnector) {
    RouterSetup setup{.esme1 = "api_keys = [\"" + apiKeyDigest(doorKey) + "\"]\n"};
    setup.more = "[http]\nport = 0\n";
    TwoSmscs scene(byPrefix, std::move(setup), "concatenation = \"udh16\"");
    DoorClient client(scene.router.nextHttpAddress(), bearer);
    client.post(longTo("41791234567"));
    EXPECT_EQ(markingAt(scene.a, 3), "udh16");
    EXPECT_EQ(client.next().json()["parts"], 3);
    client.post(longTo("46701234567"));
    EXPECT_EQ(markingAt(scene.b, 2), "udh8");
    EXPECT_EQ(client.next().json()["ids"].size(), 2u);
}

TEST(DoorMarking, IsThatOfTheMemberOfAGroupThatTakesIt) {
    RouterSetup setup{.esme1 = "api_keys = [\"" + apiKeyDigest(doorKey) + "\"]\n"};
    setup.more = "[http]\nport = 0\n";
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]"), std::move(setup),
                   "concatenation = \"udh16\"", "concatenation = \"sar\"");
    DoorClient client(scene.router.nextHttpAddress(), bearer);
    // From the 257th message on, a reference of 16 bits is not one of 8.
    std::string refused = "{}";
    for (int i = 1; i < 256; ++i) refused += ", {}";
    client.posted(R"({"messages": [)" + refused + "]}");
    std::map<std::string, int> counts;
    // Its id decides, and that begins with the time.
    for (int message = 0; message < 64 && counts.size() < 2; ++message) {
        client.post(longTo("41791234567"));
        pollfd ends[2] = {{scene.a.fd(), POLLIN, 0}, {scene.b.fd(), POLLIN, 0}};
        (void)nio::kernel::waitPoll(ends, patience).orThrow();
        const bool isAtA = ends[0].revents != 0;
        const std::string marking = markingAt(isAtA ? scene.a : scene.b, isAtA ? 3 : 2);
        EXPECT_EQ(marking, isAtA ? "udh16" : "sar");
        EXPECT_EQ(client.next().status, 202);
        ++counts[marking];
    }
    EXPECT_EQ(counts.size(), 2u);
}

TEST(DoorMarking, IsTheMessagesIfItSaysOne) {
    DoorScene scene({.connector = "concatenation = \"sar\""});
    DoorClient client = scene.client();
    client.post(longTo("1", R"(, "concatenation": "udh8")"));
    EXPECT_EQ(markingAt(scene.smsc, 2), "udh8");
    EXPECT_EQ(client.next().status, 202);
}

TEST(DoorMarking, IsThatOfTheConnectorAfterAReload) {
    DoorScene scene;
    DoorClient client = scene.client();
    scene.router.setup().connectors.front().settings = "concatenation = \"sar\"";
    scene.router.writeConfig();
    scene.router.reload();
    client.post(longTo("1"));
    EXPECT_EQ(markingAt(scene.smsc, 2), "sar");
    EXPECT_EQ(client.next().status, 202);
}

TEST(DoorMarking, IsThatOfTheConnectorAtTheOtherDoors) {
    DoorScene scene(
        {.http = "kannel = true\njasmin = true", .connector = "concatenation = \"sar\""});
    DoorClient client = scene.client();
    const std::string user = "username=esme1&password=secret1&to=41791234567";
    client.send("GET", "/cgi-bin/sendsms?" + user + "&mclass=1&text=" + longText);
    const OwnedPdu first = scene.smsc.nextSubmit();
    EXPECT_EQ(markingOf(first), "sar");
    EXPECT_EQ(first->number(Field::dataCoding), 0x11);
    scene.smsc.answer(first, "17");
    EXPECT_EQ(markingAt(scene.smsc, 1), "sar");
    EXPECT_EQ(client.next().status, 202);
    client.send("GET", "/send?" + user + "&content=" + longText);
    EXPECT_EQ(markingAt(scene.smsc, 2), "sar");
    EXPECT_EQ(client.next().status, 200);
}

TEST(DoorMarking, IsRefusedWhereItMakesTooManyParts) {
    DoorScene scene({.connector = "concatenation = \"udh16\""});
    DoorClient client = scene.client();
    const std::string text(std::size_t{255} * 153, 'x');
    const HttpAnswer answer = client.posted(R"({"to": "1", "text": ")" + text + "\"}");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(answer.json()["detail"], "concatenation: more than 255 parts");
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

}  // namespace router::scenarios
