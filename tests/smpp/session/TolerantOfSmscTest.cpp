// The table "Tolerant reading" of docs/smpp.md: what an SMSC sends at another time, and a
// deliver_sm without its sm_length.
#include "TolerantTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

constexpr Command acknowledgements[] = {Command::submitSmResp, Command::dataSmResp,
                                        Command::deliverSmResp};

TEST(TolerantOfSmsc, TakesAnAnswerOfAnotherCommand) {
    for (const Side side : bothSides) {
        const Command request = side == Side::esme ? Command::submitSm : Command::deliverSm;
        for (const Command answer : acknowledgements) {
            Owned owner(tolerant(side));
            bindAs(owner, Command::bindTransceiver);
            const std::uint32_t sequence = owner.requests(request, 7);
            owner.news();
            owner.receives(answer, sequence);
            const std::string own = "response " + std::string(nameOf(responseTo(request))) + " " +
                                    std::to_string(sequence) + " ESME_ROK to 7";
            EXPECT_EQ(owner.news(), Lines{own}) << nameOf(answer) << ": its owner gets its own";
        }
    }
}

TEST(TolerantOfSmsc, TakesSuchAnAnswerAsFarAsItIsSound) {
    for (const std::string& tail : {"\4"s, "\4\x1F"s, "\4\x1F\0"s, "\4\x1F\0\2\1"s}) {
        Owned owner(tolerant(Side::esme));
        bindAs(owner, Command::bindTransceiver);
        const std::uint32_t sequence = owner.requests(Command::submitSm, 7);
        owner.news();
        owner.receives(pduOf(Command::dataSmResp, sequence, "abc\0"s + tail));
        const Lines news = owner.news();
        ASSERT_FALSE(news.empty());
        EXPECT_EQ(news.back(),
                  "response submit_sm_resp " + std::to_string(sequence) + " ESME_ROK to 7");
    }
}

TEST(TolerantOfSmsc, TakesNoAnswerWithoutAnId) {
    for (const Command request : {Command::cancelSm, Command::replaceSm}) {
        for (const Command answer : {Command::genericNack, Command::enquireLinkResp,
                                     Command::unbindResp, Command::submitSmResp}) {
            Owned owner(tolerant(Side::esme));
            bindAs(owner, Command::bindTransceiver);
            const std::uint32_t sequence = owner.requests(request, 7);
            owner.news();
            owner.receives(pduOf(answer, sequence, bodyOf(answer)));
            const Lines news = owner.news();
            ASSERT_EQ(news.size(), 1u);
            EXPECT_TRUE(news.front().starts_with("lost 7 nacked ")) << news.front();
        }
    }
}

TEST(TolerantOfSmsc, RefusesAnAnswerOfAnotherBody) {
    const std::pair<Command, Status> answers[] = {{Command::submitMultiResp, Status::ok},
                                                  {Command::enquireLinkResp, Status::ok},
                                                  {Command::dataSmResp, Status::throttled}};
    for (const auto& [answer, status] : answers) {
        Owned owner(tolerant(Side::esme));
        bindAs(owner, Command::bindTransceiver);
        const std::uint32_t sequence = owner.requests(Command::submitSm, 7);
        owner.news();
        owner.receives(pduOf(answer, sequence, bodyOf(answer), status));
        EXPECT_EQ(owner.news(), Lines{"lost 7 nacked ESME_RINVCMDID"}) << nameOf(answer);
    }
    Owned strict(untimed(Side::esme));
    bindAs(strict, Command::bindTransceiver);
    const std::uint32_t sequence = strict.requests(Command::submitSm, 7);
    strict.news();
    strict.receives(Command::dataSmResp, sequence);
    EXPECT_EQ(strict.news(), Lines{"lost 7 nacked ESME_RINVCMDID"});
}

TEST(TolerantOfSmsc, TakesALateAnswerOfAnotherCommand) {
    SessionOptions options = tolerant(Side::smsc);
    options.timers.response = 10s;
    Owned smsc(options);
    bindAs(smsc, Command::bindTransceiver);
    const std::uint32_t sequence = smsc.requests(Command::deliverSm, 7);
    smsc.passes(10s);
    smsc.news();
    smsc.receives(Command::submitSmResp, sequence);
    EXPECT_EQ(smsc.news(),
              Lines{"late deliver_sm_resp " + std::to_string(sequence) + " ESME_ROK to 7"});
}

TEST(TolerantOfSmsc, TakesADeliveryOnATransmittersBind) {
    Owned esme(tolerant(Side::esme));
    bindAs(esme, Command::bindTransmitter);
    esme.receives(Command::deliverSm, 9);
    EXPECT_EQ(esme.news(), Lines{"request deliver_sm 9"});
    esme.session.respond(Command::deliverSm, Status::ok, 9);
    EXPECT_EQ(esme.news(), Lines{"> deliver_sm_resp 9 ESME_ROK"});
    Owned strict(untimed(Side::esme));
    bindAs(strict, Command::bindTransmitter);
    strict.receives(Command::deliverSm, 9);
    EXPECT_EQ(strict.news(), Lines{"> deliver_sm_resp 9 ESME_RINVBNDSTS"});
}

TEST(TolerantOfSmsc, TakesADeliveryBeforeTheBindsAnswer) {
    for (const bool isStrict : {false, true}) {
        Owned esme(isStrict ? untimed(Side::esme) : tolerant(Side::esme));
        esme.session.bind({Command::bindReceiver, "e", "p", "", 0, 0, ""}, esme.now);
        esme.news();
        esme.receives(Command::deliverSm, 9);
        EXPECT_EQ(esme.news(),
                  Lines{isStrict ? "> deliver_sm_resp 9 ESME_RINVBNDSTS" : "request deliver_sm 9"});
        if (!isStrict) esme.session.respond(Command::deliverSm, Status::ok, 9);
        esme.news();
        esme.receives(Command::bindReceiverResp, get32(esme.sent, 12));
        if (isStrict) continue;
        esme.receives(Command::deliverSm, 10);
        EXPECT_EQ(esme.news().back(), "request deliver_sm 10");
    }
}

TEST(TolerantOfSmsc, RefusesADeliveryBeforeAnyBind) {
    Owned esme(tolerant(Side::esme));
    esme.receives(Command::deliverSm, 9);
    EXPECT_EQ(esme.news(), Lines{"> deliver_sm_resp 9 ESME_RINVBNDSTS"});
    bindAs(esme, Command::bindTransmitter);
    esme.session.unbind(esme.now);
    esme.news();
    esme.receives(Command::deliverSm, 10);
    EXPECT_EQ(esme.news(), Lines{"> deliver_sm_resp 10 ESME_RINVBNDSTS"});
}

TEST(TolerantOfSmsc, AddsAnSmLengthThatIsLeftOut) {
    const std::string fields = bodyWith("", "1", "", "");
    const std::string id = "\0\x1E\0\3"s + "17\0"s;
    for (const std::string& tlvs : {""s, id, id + "\4\x27\0\1\2"s, "\4\x23\0\3\3\0\1"s + id}) {
        const Read session(Side::esme, fields + tlvs);
        EXPECT_EQ(session.arrived, fields + "\0"s + tlvs);
        EXPECT_EQ(session.malformed, 1) << "it is told of";
        EXPECT_FALSE(Read(Side::smsc, fields + tlvs).arrived);
    }
}

// sm_length and the text have the look of one TLV: 0x6C73, 0x0075 octets long.
TEST(TolerantOfSmsc, TakesATextForNoTlv) {
    const std::string cut = "\x14\1\0\x9"s;
    const std::string wide = "s\0u"s + std::string(0x6C - 3, '\0');
    const std::string fields = bodyWith("", "1", "", "\x6C"s + wide);
    const std::string id = "\0\x1E\0\4"s + "1234"s;
    const Read session(Side::esme, fields + id + cut);
    EXPECT_EQ(session.message, wide);
}

TEST(TolerantOfSmsc, TakesATextThatSmLengthDoesNotCount) {
    const std::string text = "id:17 sub:001 stat:DELIVRD";
    for (const std::string& counted : {"\0"s, "\5id:17"s, "\0"s}) {
        const std::string body = bodyWith("", "1", "", counted + text.substr(counted.size() - 1));
        const Read session(Side::esme, body);
        EXPECT_EQ(session.message, text);
        EXPECT_EQ(session.malformed, 1) << "it is told of";
        EXPECT_EQ(Read(Side::smsc, body).answer, Status::invOptParStream);
    }
    const std::string tlvs = "\0\x1E\0\3"s + "17\0"s + "\4\x27\0\1\2"s;
    const Read followed(Side::esme, bodyWith("", "1", "", "\0"s + text + tlvs));
    EXPECT_EQ(followed.message, text);
    EXPECT_EQ(followed.tlvs, tlvs);
    const Read tooLong(Side::esme, bodyWith("", "1", "", "\0"s + std::string(256, 'x')));
    EXPECT_EQ(tooLong.message, "");
}

}  // namespace
}  // namespace smpp
