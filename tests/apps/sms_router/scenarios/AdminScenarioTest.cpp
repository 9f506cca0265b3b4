// What the admin interface shows and does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

nlohmann::json named(const nlohmann::json& rows, const char* key, const std::string& name) {
    for (const auto& row : rows) {
        if (row[key] == name) return row;
    }
    throw std::runtime_error("no " + name + " in " + rows.dump());
}

}  // namespace

TEST(RouterAdmin, ShowsBindsAndCounters) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    SmppPeer receiver = scene.router.bound("esme1", Command::bindReceiver);
    for (int i = 0; i < 3; ++i) scene.accepted(esme, std::to_string(i + 700));
    const std::uint32_t refused = esme.submit({});
    scene.smsc.refuse(scene.smsc.nextSubmit(), Status::invDstAdr);
    EXPECT_EQ(esme.expectAnswer(refused).status(), Status::invDstAdr);
    esme.submit({});
    scene.smsc.nextSubmit();
    const nlohmann::json status = admin.status();
    const nlohmann::json account = named(status["accounts"], "systemId", "esme1");
    EXPECT_EQ(account["bound"], 2);
    EXPECT_EQ(account["counters"]["accepted"], 3);
    EXPECT_EQ(account["counters"]["refused"], 1);
    EXPECT_EQ(named(account["binds"], "kind", "receiver")["state"], "BOUND_RX");
    EXPECT_EQ(named(account["binds"], "kind", "transceiver")["outstandingIn"], 1);
    EXPECT_EQ(named(status["accounts"], "systemId", "esme2")["bound"], 0);
    const nlohmann::json connector = status["connectors"][0];
    EXPECT_EQ(connector["name"], "smsc");
    EXPECT_EQ(connector["state"], "live");
    EXPECT_EQ(connector["outstanding"], 1);
    EXPECT_EQ(connector["counters"]["accepted"], 3);
    EXPECT_EQ(connector["ids"], 3);
    EXPECT_EQ(connector["binds"][0]["state"], "BOUND_TRX");
    EXPECT_EQ(status["totals"]["bound"], 2);
}

TEST(RouterAdmin, CountsEachSubmitOnceAndNothingElse) {
    OneSmsc scene({.admin = true}, "window = 1\nqueue = 0");
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const std::uint32_t first = esme.submit({});
    const OwnedPdu atSmsc = scene.smsc.nextSubmit();
    EXPECT_EQ(esme.expectAnswer(esme.submit({})).status(), Status::msgQFul);
    scene.smsc.answer(atSmsc, "18");
    EXPECT_EQ(esme.expectAnswer(first).status(), Status::ok);
    esme.send(PduWriter(Command::querySm, Status::ok, 700)
                  .text(ours)
                  .number(0)
                  .number(1)
                  .text("12345")
                  .finish());
    scene.smsc.refuse(scene.smsc.expect(Command::querySm), Status::throttled);
    EXPECT_EQ(esme.expectAnswer(700).status(), Status::throttled);
    const nlohmann::json expected{{"submitted", 3}, {"accepted", 2},  {"refused", 1},
                                  {"throttled", 1}, {"delivered", 0}, {"receipts", 0}};
    const nlohmann::json status = admin.status();
    EXPECT_EQ(named(status["accounts"], "systemId", "esme1")["counters"], expected);
    EXPECT_EQ(status["connectors"][0]["counters"], expected);
    const nlohmann::json refused{{"ESME_RMSGQFUL", 1}};
    EXPECT_EQ(status["connectors"][0]["refusedByStatus"], refused);
    EXPECT_EQ(named(status["accounts"], "systemId", "esme1")["refusedByStatus"], refused);
    const std::string metrics = admin.get("/metrics").body;
    const std::string question = "request=\"query_sm\",status=\"ESME_RTHROTTLED\"} 1\n";
    for (const std::string of : {"account_refused_by_status_total{account=\"esme1\",",
                                 "connector_refused_by_status_total{connector=\"smsc\","}) {
        EXPECT_THAT(metrics, testing::HasSubstr("\nsms_router_" + of + question));
    }
}

TEST(RouterAdmin, CountsWhatAnSmscIsAnsweredByStatus) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 2; ++i) scene.smsc.expectAnswer(scene.smsc.deliver({.to = "99"}));
    scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("17")));
    const std::uint32_t refused = scene.smsc.deliver({.to = "12345"});
    esme.refuse(esme.expect(Command::deliverSm), Status::xRAppn);
    EXPECT_EQ(scene.smsc.expectAnswer(refused).status(), Status::xRAppn);
    const std::uint32_t taken = scene.smsc.deliver({.to = "12345"});
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_EQ(scene.smsc.expectAnswer(taken).status(), Status::ok);
    const std::string metrics = admin.get("/metrics").body;
    const std::string family = "sms_router_connector_refused_deliveries_by_status_total{";
    const auto has = [&](const std::string& status, int count) {
        return testing::HasSubstr("\n" + family + "connector=\"smsc\",status=\"" + status + "\"} " +
                                  std::to_string(count) + "\n");
    };
    EXPECT_THAT(metrics, has("ESME_RINVDSTADR", 2));
    EXPECT_THAT(metrics, has("ESME_RX_P_APPN", 1)) << "of an unknown message";
    EXPECT_THAT(metrics, has("ESME_RX_R_APPN", 1));
    EXPECT_THAT(metrics,
                testing::Not(testing::HasSubstr(family + "connector=\"smsc\",status=\"ESME_ROK")));
}

TEST(RouterAdmin, CountsWhatIsMalformed) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    // A submit_sm that ends behind its header.
    esme.send(hex("00000010 00000004 00000000 00000009"));
    EXPECT_EQ(esme.expectAnswer(9).status(), Status::invCmdLen);
    EXPECT_EQ(admin.status()["malformed"], 1);
}

TEST(RouterAdmin, LogsAndCountsWhatIsMalformedByPeerAndReason) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    const auto logged = [&] { return scene.router.logLine(); };
    esme.send(hex("00000010 00000004 00000000 00000009"));
    EXPECT_EQ(esme.expectAnswer(9).status(), Status::invCmdLen);
    std::string line = logged();
    EXPECT_NE(line.find("warning: account 'esme1': malformed submit_sm from 127.0.0.1:"),
              std::string::npos)
        << line;
    EXPECT_TRUE(line.ends_with(": ESME_RINVCMDLEN; 16 octets: 00000010000000040000000000000009"))
        << line;
    scene.smsc.send(hex("00000013 00000005 00000000 00000009 414243"));
    EXPECT_EQ(scene.smsc.next().status(), Status::invSerTyp);
    line = logged();
    EXPECT_NE(line.find("warning: connector 'smsc': malformed deliver_sm from 127.0.0.1:"),
              std::string::npos)
        << line;
    EXPECT_TRUE(line.ends_with("00000013000000050000000000000009414243")) << line;
    const nlohmann::json status = admin.status();
    const auto lastError = [](const nlohmann::json& row) {
        return row["lastError"].get<std::string>();
    };
    const std::string ofEsme = lastError(named(status["accounts"], "systemId", "esme1"));
    EXPECT_TRUE(ofEsme.starts_with("malformed submit_sm from 127.0.0.1:")) << ofEsme;
    EXPECT_TRUE(ofEsme.ends_with(": ESME_RINVCMDLEN")) << ofEsme;
    const std::string ofSmsc = lastError(status["connectors"][0]);
    EXPECT_TRUE(ofSmsc.starts_with("malformed deliver_sm from 127.0.0.1:")) << ofSmsc;
    EXPECT_TRUE(ofSmsc.ends_with(": ESME_RINVSERTYP")) << ofSmsc;
    const std::string metrics = admin.get("/metrics").body;
    const std::string reason = "reason=\"ESME_RINV";
    const std::string one = "} 1\n";
    for (const std::string& sample :
         {std::string("sms_router_malformed_pdus_total 2\n"),
          "sms_router_account_malformed_pdus_total{account=\"esme1\"," + reason + "CMDLEN\"" + one,
          "sms_router_connector_malformed_pdus_total{connector=\"smsc\"," + reason + "SERTYP\"" +
              one}) {
        EXPECT_NE(metrics.find(sample), std::string::npos) << sample << metrics;
    }
}

TEST(RouterAdmin, LogsNoPasswordOfAMalformedBind) {
    OneSmsc scene({.admin = true});
    SmppPeer esme = scene.router.connected();
    // It ends behind the password.
    const std::string secret = "73656372657431";
    esme.send(hex("0000001E 00000009 00000000 00000001 65736D653100" + secret + "00"));
    EXPECT_NE(esme.next().status(), Status::ok);
    const std::string line = scene.router.logLine();
    EXPECT_NE(line.find("warning: an ESME: malformed bind_transceiver from 127.0.0.1:"),
              std::string::npos)
        << line;
    EXPECT_EQ(line.find(secret), std::string::npos) << line;
    EXPECT_EQ(line.find("secret"), std::string::npos) << line;
}

TEST(RouterAdmin, LogsAndCountsWhatAnSmscSendsOutOfPlace) {
    OneSmsc scene({.admin = true});
    const AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(scene.smsc.ask(submitSm(9, {})).status(), Status::invBndSts);
    EXPECT_NE(scene.router.logLine().find("warning: connector 'smsc': unexpected submit_sm from "
                                          "127.0.0.1:"),
              std::string::npos);
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.send(PduWriter(Command::enquireLinkResp, Status::ok, submit.sequence()).finish());
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::invCmdId);
    const std::string last = admin.status()["connectors"][0]["lastError"];
    EXPECT_TRUE(last.starts_with("unexpected enquire_link_resp from 127.0.0.1:")) << last;
    const std::string metrics = admin.get("/metrics").body;
    for (const char* const reason : {"ESME_RINVBNDSTS", "ESME_RINVCMDID"}) {
        const std::string wanted =
            "sms_router_connector_malformed_pdus_total{connector=\"smsc\",reason=\"" +
            std::string(reason) + "\"} 1\n";
        EXPECT_NE(metrics.find(wanted), std::string::npos) << reason;
    }
}

TEST(RouterAdmin, CountsAPduOutOfPlaceAndMalformedOnce) {
    OneSmsc scene({.admin = true});
    nio::Bytes pdu = submitSm(9, {.tlvs = {{Tag::userMessageReference, "\x01\x02"}}});
    pdu[pdu.size() - 3] = nio::Byte{9};  // its length
    EXPECT_EQ(scene.smsc.ask(pdu).status(), Status::invBndSts);
    const std::string metrics = AdminClient(scene.router.adminAddress()).get("/metrics").body;
    const std::string one = "sms_router_connector_malformed_pdus_total{connector=\"smsc\",reason=";
    EXPECT_THAT(metrics, testing::HasSubstr(one + "\"ESME_RINVOPTPARSTREAM\"} 1\n"));
    EXPECT_THAT(metrics, testing::Not(testing::HasSubstr(one + "\"ESME_RINVBNDSTS\"} 1\n")));
}

// An answer that cannot be read is as malformed as a request.
TEST(RouterAdmin, LogsAMalformedAnswerOfAnSmsc) {
    OneSmsc scene({.admin = true});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    nio::Bytes answer = hex("00000013 80000004 00000000 00000000 414243");
    answer[15] = static_cast<nio::Byte>(scene.smsc.nextSubmit().sequence());
    scene.smsc.send(answer);
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok) << "the SMSC has the message";
    const std::string line = scene.router.logLine();
    EXPECT_NE(line.find("connector 'smsc': malformed submit_sm_resp from "), std::string::npos)
        << line;
    EXPECT_NE(line.find(": ESME_RINVMSGID; 19 octets: "), std::string::npos) << line;
}

TEST(RouterAdmin, ShowsWhatIsKeptAndWhatWasDropped) {
    OneSmsc scene({.esme1 = "keep_messages = 2", .admin = true});
    AdminClient admin(scene.router.adminAddress());
    for (int i = 0; i < 5; ++i) {
        scene.smsc.expectAnswer(scene.smsc.deliver({.to = "12345", .text = "mo"}));
    }
    const nlohmann::json account = named(admin.status()["accounts"], "systemId", "esme1");
    EXPECT_EQ(account["kept"], 2);
    EXPECT_EQ(account["keptDropped"], 3);
    EXPECT_GT(account["keptBytes"], 32);
}

TEST(RouterAdmin, CountsRefusedBindsAndStrayReceipts) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    EXPECT_EQ(scene.router.connected().bind({.password = "no"}), Status::invPaswd);
    EXPECT_EQ(scene.router.connected().bind({.systemId = "no"}), Status::invSysId);
    scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("4711")));
    const nlohmann::json status = admin.status();
    EXPECT_EQ(status["refusedBinds"], 2);
    EXPECT_EQ(status["unmatchedReceipts"], 1);
}

TEST(RouterAdmin, NamesTheIdOfAReceiptWithoutAMessage) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("4711")));
    EXPECT_EQ(scene.router.logLine(),
              "sms-router: warning: connector 'smsc': receipt of unknown message '4711' refused");
    const nlohmann::json connector = admin.status()["connectors"][0];
    EXPECT_EQ(connector["unmatchedReceipts"], 1);
    EXPECT_EQ(connector["lastError"], "receipt of unknown message '4711'");
}

TEST(RouterAdmin, StopsAndStartsAConnector) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    const HttpAnswer stopped = admin.post("/connectors/smsc/stop");
    EXPECT_EQ(stopped.status, 200);
    EXPECT_EQ(stopped.json()["stopped"], true);
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_TRUE(scene.smsc.closedByPeer());
    scene.smsc.close();
    EXPECT_EQ(admin.status()["connectors"][0]["state"], "stopped");
    EXPECT_EQ(esme.expectAnswer(esme.submit({})).status(), Status::sysErr);
    EXPECT_EQ(admin.post("/connectors/smsc/start").status, 200);
    scene.smsc = scene.listener.accept();
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.accepted(esme, "17");
    EXPECT_EQ(admin.post("/connectors/nobody/stop").status, 404);
}

TEST(RouterAdmin, AnswersWhatIsUnderWayWhenAConnectorIsStopped) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    EXPECT_EQ(admin.post("/connectors/smsc/stop").status, 200);
    // Asked behind the stop, on its dispatcher, too.
    EXPECT_EQ(admin.status()["connectors"][0]["state"], "stopped");
    const std::uint32_t late = scene.smsc.deliver({.to = "12345"});
    EXPECT_EQ(scene.smsc.expectAnswer(late).status(), Status::xTAppn);
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(submit, "17");
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    EXPECT_TRUE(scene.smsc.closedByPeer());
}

TEST(RouterAdmin, KeepsAStoppedConnectorStoppedThroughAReload) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    EXPECT_EQ(admin.post("/connectors/smsc/stop").status, 200);
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    scene.router.setup().connectors[0].settings = "system_type = \"NEW\"";
    scene.router.writeConfig();
    EXPECT_EQ(admin.post("/reload").status, 200);
    EXPECT_EQ(admin.status()["connectors"][0]["state"], "stopped");
    EXPECT_EQ(admin.post("/connectors/smsc/start").status, 200);
    EXPECT_EQ(scene.listener.accept().bindRequest().text(Field::systemType), "NEW");
}

TEST(RouterAdmin, Reloads) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    scene.router.setup().more = "[account.esme3]\npassword = \"secret3\"\n";
    scene.router.writeConfig();
    const HttpAnswer good = admin.post("/reload");
    EXPECT_EQ(good.status, 200);
    EXPECT_TRUE(good.json()["mistakes"].empty());
    EXPECT_EQ(scene.router.logLine(), "sms-router: info: configuration reloaded");
    scene.router.bound("esme3");
    scene.router.writeConfig("[router]\nunknown = 1\n");
    const HttpAnswer bad = admin.post("/reload");
    EXPECT_EQ(bad.status, 422);
    const auto mistakes = bad.json()["mistakes"].get<std::vector<std::string>>();
    EXPECT_FALSE(mistakes.empty());
    for (const std::string& mistake : mistakes) {
        EXPECT_EQ(scene.router.logLine(), "sms-router: error: " + mistake);
    }
    EXPECT_EQ(scene.router.logLine(),
              "sms-router: info: configuration not reloaded: the old one stays in force");
    scene.router.bound("esme3");
}

TEST(RouterAdmin, ExplainsARoute) {
    TwoSmscs scene(
        "[[route]]\nname = \"swiss\"\ndestinations = [\"41*\"]\nconnector = \"a\"\n"
        "[[route]]\nname = \"rest\"\nconnector = \"b\"\n",
        {.admin = true});
    AdminClient admin(scene.router.adminAddress());
    const std::string lines = admin.get("/explain?account=esme1&to=4179").json()["lines"].dump();
    EXPECT_NE(lines.find("swiss"), std::string::npos) << lines;
    const std::string other = admin.get("/explain?account=esme1&to=49").json()["lines"].dump();
    EXPECT_NE(other.find("rest"), std::string::npos) << other;
    const std::string fromSmsc = admin.get("/explain?connector=a&to=49").json()["lines"].dump();
    EXPECT_NE(fromSmsc.find("=> no account: refused with"), std::string::npos) << fromSmsc;
    const std::string unknown = admin.get("/explain?connector=x&to=49").json()["lines"].dump();
    EXPECT_NE(unknown.find("=> no such connector"), std::string::npos) << unknown;
}

TEST(RouterAdmin, HasAPageMetricsAndHealth) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    const HttpAnswer page = admin.get("/");
    EXPECT_EQ(page.status, 200);
    EXPECT_NE(page.body.find("<html"), std::string::npos);
    const HttpAnswer metrics = admin.get("/metrics");
    EXPECT_EQ(metrics.status, 200);
    EXPECT_NE(metrics.body.find("# TYPE"), std::string::npos);
    EXPECT_NE(metrics.body.find("\nnio_turns_total{dispatcher=\"control\"}"), std::string::npos)
        << metrics.body;
    EXPECT_EQ(admin.get("/healthz").status, 200);
    EXPECT_EQ(admin.get("/nothing").status, 404);
}

TEST(RouterAdmin, AsksForItsToken) {
    RouterProcess router(
        {.connectors = {{"smsc", 1}}, .admin = true, .adminSettings = "token = \"sesame\""});
    AdminClient stranger(router.adminAddress());
    EXPECT_EQ(stranger.get("/status.json").status, 401);
    EXPECT_EQ(stranger.post("/reload").status, 401);
    EXPECT_EQ(AdminClient(router.adminAddress(), "wrong").get("/status.json").status, 401);
    EXPECT_EQ(AdminClient(router.adminAddress(), "sesame").get("/status.json").status, 200);
}

TEST(RouterAdmin, SaysThatItDrains) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    scene.router.signal(SIGTERM);
    esme.expect(Command::unbind);
    EXPECT_EQ(admin.status()["draining"], true);
    EXPECT_EQ(admin.get("/healthz").status, 503);
}

}  // namespace router::scenarios
