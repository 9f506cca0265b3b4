// Clients of Kannel and Jasmin at the router's doors, as those gateways document them, and what
// they are called back with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/admin/HookServer.h"
#include "apps/sms_router/http/DoorScene.h"
#include "sms_router/http/FormFields.h"

namespace router::scenarios {

namespace {

using routertest::HookServer;
using testing::HasSubstr;
using testing::StartsWith;

const std::string bothDoors = "kannel = true\njasmin = true\n";
const std::string ofForm = "Content-Type: application/x-www-form-urlencoded\r\n";
const std::string asKannel = "/cgi-bin/sendsms?username=esme1&password=secret1";
const std::string asJasmin = "/send?username=esme1&password=secret1";

// The account's own webhook is at `url`, and its messages may name others.
DoorSetup calledBackAt(const std::string& url, const std::string& more = {}) {
    return {.router = {.esme1 = "webhook = { url = \"" + url +
                                "\", secret = \"x\", per_message = true, private_addresses = true" +
                                more + " }",
                       .durability = "commit"},
            .http = bothDoors};
}

struct DoorsScene : DoorScene {
    explicit DoorsScene(const DoorSetup& setup = {.http = bothDoors})
        : DoorScene(setup), door(client("")) {}

    HttpAnswer accepted(const std::string& path, const std::string& smscId = "17") {
        door.send("GET", path);
        smsc.answer(smsc.nextSubmit(), smscId);
        return door.next();
    }
    HttpAnswer refusedWith(const std::string& path, Status status) {
        door.send("GET", path);
        smsc.refuse(smsc.nextSubmit(), status);
        return door.next();
    }
    void expectTaken(std::uint32_t sequence) {
        EXPECT_EQ(smsc.expectAnswer(sequence).status(), Status::ok);
    }

    DoorClient door;
};

// "/path?query" of a GET.
std::string targetOf(const std::string& request) {
    EXPECT_THAT(request, StartsWith("GET "));
    return request.substr(4, request.find(' ', 4) - 4);
}
FormFields formOf(const std::string& text) {
    FormFields fields;
    fields.parse(text);
    return fields;
}
FormFields postedForm(const std::string& request) {
    EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/x-www-form-urlencoded\r\n"));
    return formOf(request.substr(request.find("\r\n\r\n") + 4));
}
std::string idIn(const HttpAnswer& success) {
    EXPECT_THAT(success.body, StartsWith("Success \""));
    return success.body.substr(9, 16);
}
const std::string jasminAck = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nACK/Jasmin";
const std::string emptyOk = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

}  // namespace

// --- Kannel ---------------------------------------------------------------------------------

TEST(KannelClient, SendsByUrl) {
    DoorsScene scene;
    scene.door.send("GET", asKannel + "&from=12345&to=41791234567&text=Hello+world");
    const OwnedPdu submit = scene.smsc.nextSubmit();
    EXPECT_EQ(submit.message(), "Hello world");
    EXPECT_EQ(submit.text(Field::sourceAddress), "12345");
    EXPECT_EQ(submit.text(Field::destinationAddress), "41791234567");
    scene.smsc.answer(submit, "17");
    const HttpAnswer answer = scene.door.next();
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.body, "0: Accepted for delivery");
    EXPECT_THAT(answer.head, HasSubstr("\r\nContent-Type: text/plain"));
}

TEST(KannelClient, SendsByForm) {
    DoorsScene scene;
    scene.door.send("POST", "/cgi-bin/sendsms", "user=esme1&pass=secret1&to=1+2&text=caf%C3%A9",
                    ofForm);
    for (const char* to : {"1", "2"}) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.text(Field::destinationAddress), to);
        EXPECT_EQ(submit.message(), "caf\x05");
        scene.smsc.answer(submit, to);
    }
    EXPECT_EQ(scene.door.next().status, 202);
}

TEST(KannelClient, IsToldWhyNothingIsSent) {
    DoorsScene scene;
    const auto answered = [&](const std::string& path) {
        const HttpAnswer answer = scene.door.get(path);
        return std::to_string(answer.status) + " " + answer.body;
    };
    EXPECT_EQ(answered("/cgi-bin/sendsms?to=1&text=x"), "403 Authorization failed for sendsms");
    EXPECT_EQ(answered("/cgi-bin/sendsms?user=esme1&pass=x&to=1&text=x"),
              "403 Authorization failed for sendsms");
    EXPECT_EQ(answered(asKannel + "&text=x"), "400 Missing receiver number, rejected");
    EXPECT_EQ(answered(asKannel + "&to=1&text=x&dlr-mask=1&dlr-url=http://h/"),
              "400 dlr-url: the account has no webhook with per_message = true");
    EXPECT_EQ(scene.door.get(asKannel + "&to=1&text=%").status, 400);
    const std::string path = asKannel + "&to=1&text=x";
    EXPECT_EQ(scene.refusedWith(path, Status::invDstAdr).status, 403);
    EXPECT_EQ(scene.refusedWith(path, Status::throttled).status, 503);
}

TEST(KannelClient, IsToldOfDeliveryByItsOwnUrl) {
    HookServer own;
    HookServer account;
    DoorsScene scene(calledBackAt(account.url()));
    const std::string url = formEncoded(own.url("/dlr?my=5&type=%d&to=%p&from=%P&text=%k"));
    scene.accepted(asKannel + "&from=12345&to=41791234567&text=x&dlr-mask=1&dlr-url=" + url);
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const FormFields told = formOf(targetOf(own.take()).substr(5));
    own.accept();
    scene.expectTaken(sequence);
    EXPECT_EQ(told.text("my"), "5");
    EXPECT_EQ(told.text("type"), "1");
    EXPECT_EQ(told.text("to"), "41791234567");
    EXPECT_EQ(told.text("from"), "12345");
    EXPECT_THAT(told.text("text"), StartsWith("id:"));
    EXPECT_FALSE(account.isAsked(std::chrono::milliseconds(0)));
}

TEST(KannelClient, IsNotToldWhatItsMaskLeavesOut) {
    HookServer own;
    DoorsScene scene(calledBackAt(own.url("/account")));
    scene.accepted(asKannel +
                   "&to=41791234567&text=x&dlr-mask=2&dlr-url=" + formEncoded(own.url("/%d")));
    scene.expectTaken(scene.smsc.receipt(receiptOf("17", "DELIVRD")));
    EXPECT_FALSE(own.isAsked(std::chrono::milliseconds(0)));
}

TEST(KannelClient, IsToldOfDeliveryAfterARestart) {
    HookServer own;
    DoorsScene scene(calledBackAt(own.url("/account")));
    scene.accepted(asKannel +
                   "&to=41791234567&text=x&dlr-mask=3&dlr-url=" + formEncoded(own.url("/own?%d")));
    scene.router.kill();
    scene.router.startAgain();
    scene.smsc = scene.listener.accept();
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17", "UNDELIV"));
    EXPECT_EQ(targetOf(own.take()), "/own?2");
    own.accept();
    scene.expectTaken(sequence);
}

TEST(KannelClient, GetsMessagesByUrl) {
    HookServer hook;
    DoorsScene scene(
        calledBackAt(hook.url("/mo?from=%p&to=%P&key=%k&rest=%r&at=%T"), ", format = \"kannel\""));
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "STOP all of it"});
    const FormFields told = formOf(targetOf(hook.take()).substr(4));
    hook.accept();
    scene.expectTaken(sequence);
    EXPECT_EQ(told.text("to"), "12345");
    EXPECT_EQ(told.text("key"), "STOP");
    EXPECT_EQ(told.text("rest"), "all of it");
}

// --- Jasmin ---------------------------------------------------------------------------------

TEST(JasminClient, SendsByUrlFormAndJson) {
    DoorsScene scene;
    const auto expectSent = [&] {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.message(), "hello");
        EXPECT_EQ(submit.text(Field::destinationAddress), "41791234567");
        scene.smsc.answer(submit, "17");
        const HttpAnswer answer = scene.door.next();
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, "Success \"" + idIn(answer) + "\"");
    };
    scene.door.send("GET", asJasmin + "&to=41791234567&content=hello");
    expectSent();
    scene.door.send("POST", "/send",
                    "username=esme1&password=secret1&to=41791234567&content=hello&coding=0",
                    ofForm);
    expectSent();
    scene.door.send("POST", "/send",
                    R"({"username":"esme1","password":"secret1","to":"41791234567",)"
                    R"("hex-content":"68656c6c6f","priority":1})",
                    "Content-Type: application/json\r\n");
    expectSent();
}

TEST(JasminClient, IsToldWhyNothingIsSent) {
    DoorsScene scene;
    const auto answered = [](const HttpAnswer& answer) {
        return std::to_string(answer.status) + " " + answer.body;
    };
    EXPECT_EQ(answered(scene.door.get("/send?username=esme1&password=x&to=1&content=x")),
              "403 Error \"Authentication failure\"");
    EXPECT_EQ(answered(scene.door.get(asJasmin + "&to=1")),
              "400 Error \"content or hex-content not present.\"");
    const std::string path = asJasmin + "&to=1&content=x";
    EXPECT_EQ(answered(scene.refusedWith(path, Status::invDstAdr)), "412 Error \"No route found\"");
    EXPECT_EQ(answered(scene.refusedWith(path, Status::msgQFul)),
              "500 Error \"Cannot send submit_sm: too many messages of the account wait\"");
}

TEST(JasminClient, IsToldOfDeliveryUntilItAcknowledges) {
    HookServer own;
    DoorsScene scene(calledBackAt(own.url("/account")));
    const std::string id = idIn(scene.accepted(
        asJasmin + "&to=41791234567&content=x&dlr=yes&dlr-level=2&dlr-method=POST&dlr-url=" +
        formEncoded(own.url("/dlr.php"))));
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const std::string first = own.take();
    own.answer(emptyOk);
    const std::string again = own.take();
    own.answer(jasminAck);
    scene.expectTaken(sequence);
    EXPECT_EQ(first, again);
    EXPECT_THAT(first, StartsWith("POST /dlr.php HTTP/1.1\r\n"));
    const FormFields told = postedForm(first);
    EXPECT_EQ(told.text("id"), id);
    EXPECT_EQ(told.text("level"), "2");
    EXPECT_EQ(told.text("message_status"), "DELIVRD");
    EXPECT_EQ(told.text("connector"), "smsc");
}

TEST(JasminClient, IsToldOfDeliveryByGet) {
    HookServer own;
    DoorsScene scene(calledBackAt(own.url("/account")));
    const std::string id = idIn(
        scene.accepted(asJasmin + "&to=41791234567&content=x&dlr-level=3&dlr-method=GET&dlr-url=" +
                       formEncoded(own.url("/dlr"))));
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const std::string target = targetOf(own.take());
    own.answer(jasminAck);
    scene.expectTaken(sequence);
    EXPECT_THAT(target, StartsWith("/dlr?"));
    EXPECT_EQ(formOf(target.substr(5)).text("id"), id);
}

TEST(JasminClient, GetsMessagesByForm) {
    HookServer hook;
    DoorsScene scene(calledBackAt(hook.url(), ", format = \"jasmin\""));
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "STOP"});
    const FormFields told = postedForm(hook.take());
    hook.answer(jasminAck);
    scene.expectTaken(sequence);
    EXPECT_EQ(told.text("to"), "12345");
    EXPECT_EQ(told.text("content"), "STOP");
    EXPECT_EQ(told.text("binary"), "53544f50");
    EXPECT_EQ(told.text("coding"), "0");
}

// --- both -----------------------------------------------------------------------------------

TEST(FormDoors, AreShutUnlessTheConfigurationOpensThem) {
    DoorScene scene;
    DoorClient client = scene.client("");
    EXPECT_EQ(client.get(asKannel + "&to=1&text=x").status, 404);
    EXPECT_EQ(client.get(asJasmin + "&to=1&content=x").status, 404);
}

TEST(FormDoors, SendNothingForAHead) {
    DoorsScene scene;
    scene.door.send("HEAD", asKannel + "&to=1&text=x", "", "Connection: close\r\n");
    EXPECT_FALSE(scene.door.nextOrEnd());
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(FormDoors, SlowDownGuesses) {
    for (const char* path : {"/cgi-bin/%73endsms?", "/send?to=1&content=x&"}) {
        DoorsScene scene({.router = {.router = "login_delay = \"1m\""}, .http = bothDoors});
        const std::string guess = std::string(path) + "username=esme1&password=guess";
        for (int i = 0; i < 5; ++i) EXPECT_EQ(scene.door.get(guess).status, 403);
        // The next turn is in a minute, the one behind it too late.
        DoorClient one = scene.client("");
        DoorClient other = scene.client("");
        for (DoorClient* each : {&one, &other}) each->send("GET", guess);
        EXPECT_EQ(firstAnswered(one, other).next().status, 429) << path;
    }
}

TEST(WebhookOfAMessage, GetsItsReceiptInPlaceOfTheAccounts) {
    HookServer own;
    HookServer account;
    DoorsScene scene(calledBackAt(account.url()));
    DoorClient client = scene.client();
    const std::string message = R"({"to": "41791234567", "text": "x", "receipt": true)";
    const std::string id =
        scene.acceptedAs(client, message + R"(, "webhook": ")" + own.url("/own") + "\"}", "17")
            .json()["id"];
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const std::string request = own.take();
    own.accept();
    scene.expectTaken(sequence);
    EXPECT_THAT(request, StartsWith("POST /own HTTP/1.1\r\n"));
    EXPECT_THAT(request, HasSubstr("\r\nSms-Router-Signature: t="));
    EXPECT_THAT(request, HasSubstr("\"id\":\"" + id + "\""));

    scene.acceptedAs(client, message + "}", "18");
    const std::uint32_t next = scene.smsc.receipt(receiptOf("18"));
    account.body();
    scene.expectTaken(next);
    EXPECT_FALSE(own.isAsked(std::chrono::milliseconds(0)));
}

TEST(WebhookOfAMessage, ThatIsDeadHoldsUpNoOther) {
    HookServer dead;
    HookServer good;
    DoorSetup setup = calledBackAt(good.url("/account"), ", timeout = \"100ms\"");
    setup.router.esme1 += "\ndeliver_window = 1";
    DoorsScene scene(setup);
    DoorClient client = scene.client();
    constexpr int count = 12;
    for (int i = 0; i <= count; ++i) {
        const std::string url = i < count ? dead.url() : good.url("/good");
        scene.acceptedAs(client,
                         R"({"to": "1", "text": "x", "receipt": true, "webhook": ")" + url + "\"}",
                         std::to_string(i));
    }
    for (int i = 0; i <= count; ++i) scene.smsc.receipt(receiptOf(std::to_string(i)));
    EXPECT_THAT(good.take(), StartsWith("POST /good HTTP/1.1\r\n"));
    good.accept();
    int posts = 0;
    for (; dead.isAsked(std::chrono::milliseconds(0)); ++posts) dead.take();
    EXPECT_GT(posts, 0);
    EXPECT_LT(posts, count);
}

TEST(WebhookOfAMessage, IsNotThatOfOneSentBySmpp) {
    HookServer account;
    DoorsScene scene(calledBackAt(account.url("/account")));
    SmppPeer sender = scene.router.bound("esme1", Command::bindTransmitter);
    const std::string id = scene.OneSmsc::accepted(sender, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const std::string request = account.take();
    account.accept();
    scene.expectTaken(sequence);
    EXPECT_THAT(request, StartsWith("POST /account HTTP/1.1\r\n"));
    EXPECT_THAT(request, HasSubstr("\"id\":\"" + id + "\""));
}

TEST(WebhookOfAMessage, IsNotWhereTheAccountMustNotCall) {
    HookServer account;
    const std::string hook = "webhook = { url = \"" + account.url() + "\", secret = \"x\"";
    const std::string message = R"({"to": "1", "text": "x", "webhook": "http://10.0.0.1/"})";
    DoorScene shut({.router = {.esme1 = hook + " }", .durability = "commit"}});
    EXPECT_THAT(shut.client().posted(message).json()["detail"], HasSubstr("per_message"));
    DoorScene open({.router = {.esme1 = hook + ", per_message = true }", .durability = "commit"}});
    EXPECT_EQ(open.client().posted(message).json()["detail"],
              "webhook: 10.0.0.1 is a private address");
    DoorScene memory({.router = {.esme1 = hook + ", per_message = true }"}});
    EXPECT_THAT(memory.client().posted(message).json()["detail"], HasSubstr("store is in memory"));
}

}  // namespace router::scenarios
