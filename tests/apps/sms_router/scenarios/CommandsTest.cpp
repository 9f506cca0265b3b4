// submit_multi, query_sm, cancel_sm, replace_sm.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

// "*NAME" is a distribution list; the others are of TON and NPI 1.
nio::Bytes submitMulti(std::uint32_t sequence, const std::vector<std::string>& destinations) {
    PduWriter pdu(Command::submitMulti, Status::ok, sequence);
    pdu.text("").number(0).number(1).text("12345");
    pdu.number(static_cast<std::uint8_t>(destinations.size()));
    for (const std::string& to : destinations) {
        if (to[0] == '*')
            pdu.number(2).text(to.substr(1));
        else
            pdu.number(1).number(1).number(1).text(to);
    }
    pdu.number(0).number(0).number(0).text("").text("").number(1).number(0).number(0).number(0);
    return pdu.number(5)
        .octets(nio::asBytes("hello"))
        .tlv(Tag(0x1500), std::string_view("vendor"))
        .finish();
}

struct Unsuccess {
    std::string address;
    Status status;
};

nio::Bytes multiAnswer(std::uint32_t sequence, std::string_view id,
                       const std::vector<Unsuccess>& unsuccess = {}) {
    PduWriter pdu(Command::submitMultiResp, Status::ok, sequence);
    pdu.text(id).number(static_cast<std::uint8_t>(unsuccess.size()));
    for (const Unsuccess& one : unsuccess) {
        const auto status = static_cast<std::uint32_t>(one.status);
        pdu.number(1).number(1).text(one.address).number(0).number(0);
        pdu.number(static_cast<std::uint8_t>(status >> 8));
        pdu.number(static_cast<std::uint8_t>(status));
    }
    return pdu.finish();
}

nio::Bytes about(Command command, std::uint32_t sequence, std::string_view id) {
    PduWriter pdu(command, Status::ok, sequence);
    if (command == Command::cancelSm) pdu.text("");
    pdu.text(id).number(0).number(1).text("12345");
    if (command == Command::cancelSm) pdu.number(1).number(1).text("41791234567");
    if (command != Command::replaceSm) return pdu.finish();
    return pdu.text("").text("").number(1).number(0).number(3).octets(nio::asBytes("new")).finish();
}

const std::vector<Command> aboutMessages{Command::querySm, Command::cancelSm, Command::replaceSm};

}  // namespace

TEST(RouterMulti, IsPassedOnAsItIsToOneSmsc) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const nio::Bytes sent = submitMulti(7, {"411", "*friends", "492"});
    esme.send(sent);
    const OwnedPdu arrived = scene.smsc.expect(Command::submitMulti);
    EXPECT_TRUE(sameOctets(arrived.numbered(7), sent));
    scene.smsc.send(multiAnswer(arrived.sequence(), "17", {{"492", Status::invDstAdr}}));
    const OwnedPdu answer = esme.expectAnswer(7);
    EXPECT_EQ(answer.id().size(), 16u);
    EXPECT_TRUE(
        sameOctets(answer.octets(), multiAnswer(7, answer.id(), {{"492", Status::invDstAdr}})));
}

TEST(RouterMulti, HasOneIdForAllItsReceipts) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492"}));
    scene.smsc.send(multiAnswer(scene.smsc.expect(Command::submitMulti).sequence(), "17"));
    const std::string ours = esme.expectAnswer(7).id();
    for (int i = 0; i < 2; ++i) {
        scene.smsc.receipt(receiptOf("17"));
        const OwnedPdu receipt = esme.expect(Command::deliverSm);
        EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
        esme.answer(receipt);
    }
}

TEST(RouterMulti, OfOneDestinationHasItInItsReceipt) {
    OneSmsc scene({.more = "[[route]]\nconnector = \"smsc\"\n"
                           "rewrite_destination = { strip_prefix = \"00\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"00447700900123"}));
    scene.smsc.send(multiAnswer(scene.smsc.expect(Command::submitMulti).sequence(), "17"));
    esme.expectAnswer(7);
    Message receipt = receiptOf("17");
    receipt.from = "447700900123";
    scene.smsc.receipt(receipt);
    const OwnedPdu came = esme.expect(Command::deliverSm);
    EXPECT_EQ(came->text(Field::sourceAddress), "00447700900123");
    EXPECT_EQ(came->text(Field::destinationAddress), "12345");
}

TEST(RouterMulti, HasItsReceiptsAlsoWhereTheyWriteTheIdInAnotherForm) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492"}));
    scene.smsc.send(multiAnswer(scene.smsc.expect(Command::submitMulti).sequence(), "1A2B3C4D"));
    const std::string ours = esme.expectAnswer(7).id();
    for (const char* from : {"411", "492"}) {
        Message receipt = receiptOf("439041101");
        receipt.from = from;
        scene.smsc.receipt(receipt);
        const OwnedPdu received = esme.expect(Command::deliverSm);
        EXPECT_NE(received.message().find(ours), std::string::npos);
        esme.answer(received);
    }
}

TEST(RouterMulti, LogsEachConnectorAndEachRefusedDestination) {
    OneSmsc scene({.router = "drain_timeout = \"0s\"",
                   .more = "[[route]]\ndestinations = [\"41*\"]\nconnector = \"smsc\"\n",
                   .records = true});
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "412", "492", "493"}));
    scene.smsc.send(multiAnswer(scene.smsc.expect(Command::submitMulti).sequence(), "17"));
    esme.expectAnswer(7);
    scene.smsc.close();
    scene.router.stop();
    EXPECT_EQ(scene.router.exitCode(), 0);
    std::ifstream file(scene.router.recordsFile());
    const std::string lines(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(lines.find("\"destination\":\"411,412\""), std::string::npos) << lines;
    EXPECT_NE(lines.find("\"destination\":\"492\""), std::string::npos) << lines;
    EXPECT_NE(lines.find("\"destination\":\"493\""), std::string::npos) << lines;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3) << lines;
}

TEST(RouterMulti, IsSplitOverTwoSmscsAndAnsweredWithOneIdAndOneList) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492", "413", "494", "495"}));
    const OwnedPdu atA = scene.a.expect(Command::submitMulti);
    const OwnedPdu atB = scene.b.expect(Command::submitMulti);
    EXPECT_TRUE(sameOctets(atA.numbered(0), submitMulti(0, {"411", "413"})));
    EXPECT_TRUE(sameOctets(atB.numbered(0), submitMulti(0, {"492", "494", "495"})));
    scene.a.send(multiAnswer(atA.sequence(), "17", {{"413", Status::invDstAdr}}));
    EXPECT_TRUE(scene.a.nothingArrives());
    EXPECT_TRUE(esme.nothingArrives());
    scene.b.send(multiAnswer(atB.sequence(), "17", {{"494", Status::throttled}}));
    const OwnedPdu answer = esme.expectAnswer(7);
    EXPECT_EQ(answer.id().size(), 16u);
    EXPECT_TRUE(sameOctets(
        answer.octets(),
        multiAnswer(7, answer.id(), {{"413", Status::invDstAdr}, {"494", Status::throttled}})));
    for (SmscBind* smsc : {&scene.a, &scene.b}) {
        smsc->receipt(receiptOf("17"));
        const OwnedPdu receipt = esme.expect(Command::deliverSm);
        EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(answer.id()))));
        esme.answer(receipt);
    }
}

TEST(RouterMulti, NamesTheDestinationsThatNoRouteIsFor) {
    TwoSmscs scene(
        "[[route]]\ndestinations = [\"41*\"]\nconnector = \"a\"\n"
        "[[route]]\ndestinations = [\"49*\"]\nreject = \"0x0412\"\n");
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492", "333"}));
    const OwnedPdu arrived = scene.a.expect(Command::submitMulti);
    EXPECT_TRUE(sameOctets(arrived.numbered(0), submitMulti(0, {"411"})));
    scene.a.send(multiAnswer(arrived.sequence(), "17"));
    const OwnedPdu answer = esme.expectAnswer(7);
    EXPECT_TRUE(sameOctets(
        answer.octets(),
        multiAnswer(7, answer.id(), {{"492", Status(0x412)}, {"333", Status::invDstAdr}})));
}

TEST(RouterMulti, NamesTheDestinationsOfAnSmscThatRefusesItsPart) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492", "493"}));
    const OwnedPdu atA = scene.a.expect(Command::submitMulti);
    const OwnedPdu atB = scene.b.expect(Command::submitMulti);
    scene.b.refuse(atB, Status::throttled);
    scene.a.send(multiAnswer(atA.sequence(), "17"));
    const OwnedPdu answer = esme.expectAnswer(7);
    EXPECT_TRUE(sameOctets(
        answer.octets(),
        multiAnswer(7, answer.id(), {{"492", Status::throttled}, {"493", Status::throttled}})));
}

TEST(RouterMulti, ThatNobodyTakesIsRefused) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492"}));
    scene.a.refuse(scene.a.expect(Command::submitMulti), Status::throttled);
    scene.b.refuse(scene.b.expect(Command::submitMulti), Status::throttled);
    EXPECT_EQ(esme.expectAnswer(7).status(), Status::throttled);
}

TEST(RouterMulti, HasItsAddressesRewritten) {
    OneSmsc scene({.more = "[[route]]\nconnector = \"smsc\"\n"
                           "rewrite_source = { replace_by = \"INFO\", ton = 5, npi = 0 }\n"
                           "rewrite_destination = { add_prefix = \"+\", ton = 2, npi = 3 }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "*friends"}));
    const OwnedPdu arrived = scene.smsc.expect(Command::submitMulti);
    EXPECT_EQ(arrived.text(Field::sourceAddress), "INFO");
    EXPECT_EQ(arrived->number(Field::sourceTon), 5);
    EXPECT_EQ(arrived->number(Field::sourceNpi), 0);
    EXPECT_TRUE(sameOctets(arrived->octets(Field::destinations),
                           hex("01 02 03 2B34313100 02 667269656E647300")));
    EXPECT_EQ(arrived.message(), "hello");
}

TEST(RouterMulti, IsLostInPartWhenOneSmscLeaves) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"411", "492"}));
    const OwnedPdu atA = scene.a.expect(Command::submitMulti);
    scene.b.expect(Command::submitMulti);
    scene.b.close();
    scene.a.send(multiAnswer(atA.sequence(), "17"));
    const OwnedPdu answer = esme.expectAnswer(7);
    EXPECT_TRUE(
        sameOctets(answer.octets(), multiAnswer(7, answer.id(), {{"492", Status::submitFail}})));
}

TEST(RouterAbout, GoesToTheSmscThatHasTheMessageWithItsIdOfIt) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = scene.router.bound("esme1");
    std::vector<std::string> ours;
    for (const char* to : {"411", "492"}) {
        const std::uint32_t sent = esme.submit({.to = to});
        SmscBind& smsc = to[1] == '1' ? scene.a : scene.b;
        smsc.answer(smsc.nextSubmit(), "17");
        ours.push_back(esme.expectAnswer(sent).id());
    }
    for (const Command command : aboutMessages) {
        for (std::size_t i = 0; i < 2; ++i) {
            esme.send(about(command, 700, ours[i]));
            SmscBind& smsc = i == 0 ? scene.a : scene.b;
            const OwnedPdu arrived = smsc.expect(command);
            EXPECT_TRUE(sameOctets(arrived.numbered(0), about(command, 0, "17")));
            smsc.refuse(arrived, Status(0x412));
            EXPECT_EQ(esme.expectAnswer(700).status(), Status(0x412));
        }
    }
}

// Which SMSCs compare (4.8, 4.9, 4.10); also after a restart.
TEST(RouterAbout, HasTheSourceThatTheMessageWasSentWith) {
    OneSmsc scene({.durability = "commit",
                   .more = "[[route]]\nconnector = \"smsc\"\n"
                           "rewrite_source = { replace_by = \"INFO\", ton = 5, npi = 0 }\n"
                           "rewrite_destination = { add_prefix = \"+\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const auto expectInfo = [&](SmscBind& smsc, SmppPeer& asker) {
        for (const Command command : aboutMessages) {
            asker.send(about(command, 700, ours));
            const OwnedPdu arrived = smsc.expect(command);
            EXPECT_EQ(arrived.text(Field::sourceAddress), "INFO");
            EXPECT_EQ(arrived->number(Field::sourceTon), 5);
            EXPECT_EQ(arrived->number(Field::sourceNpi), 0);
            EXPECT_EQ(arrived.text(Field::destinationAddress), "") << "not the ESME's";
            EXPECT_EQ(arrived->number(Field::destinationTon), 0);
            smsc.refuse(arrived, Status(0x412));
            EXPECT_EQ(asker.expectAnswer(700).status(), Status(0x412));
        }
    };
    expectInfo(scene.smsc, esme);
    scene.router.kill();
    scene.router.startAgain();
    SmscBind smsc = scene.listener.accept();
    SmppPeer again = scene.router.bound("esme1");
    expectInfo(smsc, again);
}

TEST(RouterAbout, HidesADestinationOfARewrittenSubmitMulti) {
    OneSmsc scene({.more = "[[route]]\nconnector = \"smsc\"\n"
                           "rewrite_destination = { add_prefix = \"+\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, {"41791234567"}));
    scene.smsc.send(multiAnswer(scene.smsc.expect(Command::submitMulti).sequence(), "17"));
    esme.send(about(Command::cancelSm, 8, esme.expectAnswer(7).id()));
    const OwnedPdu arrived = scene.smsc.expect(Command::cancelSm);
    EXPECT_EQ(arrived.id(), "17");
    EXPECT_EQ(arrived.text(Field::destinationAddress), "");
}

TEST(RouterAbout, RefusesAMessageThatItsSmscGaveNoId) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "");
    for (const Command command : aboutMessages) {
        EXPECT_EQ(esme.ask(about(command, 9, ours)).status(), Status::invMsgId);
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterAbout, HasOurIdInTheAnswerToAQuery) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    esme.send(about(Command::querySm, 700, ours));
    const OwnedPdu query = scene.smsc.expect(Command::querySm);
    const auto answer = [](std::uint32_t sequence, std::string_view id) {
        return PduWriter(Command::querySmResp, Status::ok, sequence)
            .text(id)
            .text("240101000000000+")
            .number(2)
            .number(0)
            .finish();
    };
    scene.smsc.send(answer(query.sequence(), "17"));
    EXPECT_TRUE(sameOctets(esme.expectAnswer(700).octets(), answer(700, ours)));
}

TEST(RouterAbout, GetsTheSmscsYesPassedOn) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    for (const Command command : {Command::cancelSm, Command::replaceSm}) {
        esme.send(about(command, 700, ours));
        scene.smsc.answer(scene.smsc.expect(command));
        EXPECT_TRUE(
            sameOctets(esme.expectAnswer(700).octets(), bare(smpp::responseTo(command), 700)));
    }
}

TEST(RouterAbout, RefusesIdsThatAreNotTheAccounts) {
    OneSmsc scene;
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    const std::string ofOne = scene.accepted(one, "17");
    for (const Command command : aboutMessages) {
        for (const std::string& id : {ofOne, std::string("17"), std::string(),
                                      std::string("0000000000000001"), ofOne + "0"}) {
            const OwnedPdu answer = two.ask(about(command, 9, id));
            EXPECT_EQ(answer.command(), smpp::responseTo(command));
            EXPECT_EQ(answer.status(), Status::invMsgId) << id;
        }
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterAbout, RefusesAnIdThatReadsAsZero) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (const Command command : aboutMessages) {
        for (const char* id : {"00000000", "0000000000000000"}) {
            const OwnedPdu answer = esme.ask(about(command, 9, id));
            EXPECT_EQ(answer.command(), smpp::responseTo(command));
            EXPECT_EQ(answer.status(), Status::invMsgId) << id;
        }
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterAbout, CountsForTheRateOfTheAccount) {
    OneSmsc scene({.esme1 = "messages_per_second = 0.001"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    for (const Command command : aboutMessages) {
        EXPECT_EQ(esme.ask(about(command, 9, ours)).status(), Status::throttled);
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterMulti, CountsAllItsMessagesForTheRateOfTheConnector) {
    OneSmsc scene({}, "messages_per_second = 10");
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitMulti(7, std::vector<std::string>(254, "411")));
    scene.smsc.expect(Command::submitMulti);
    esme.submit({});
    EXPECT_TRUE(scene.smsc.nothingArrives()) << "for 25 seconds";
}

TEST(RouterAbout, IsRefusedWhenItsSmscIsAway) {
    OneSmsc scene({.router = "threads = 1"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    scene.listener.stopListening();
    scene.smsc.send(bare(Command::unbind, 1));
    scene.smsc.expectAnswer(1);
    EXPECT_TRUE(scene.smsc.closedByPeer());
    EXPECT_EQ(esme.ask(about(Command::querySm, 9, ours)).status(), Status::sysErr);
}

}  // namespace router::scenarios
