#include "sms_router/records/RecordLine.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/sms_router/records/SomeRecord.h"

namespace router {
namespace {

std::string lineOf(const MessageRecord& record, bool mask = false) {
    std::string out;
    appendRecordLine(out, record, mask);
    return out;
}

TEST(RecordLine, HasEveryFieldInItsOrder) {
    EXPECT_EQ(lineOf(someRecord()),
              R"({"time":"2024-02-29T23:59:59.000125Z","kind":"submit","account":"esme1",)"
              R"("connector":"north","route":"de","source":"INFO","destination":"491701234567",)"
              R"("message_id":"17f00a","smsc_message_id":"99","status":"ESME_ROK",)"
              R"("outcome":"accepted","took_us":730,"octets":42,"data_coding":8})"
              "\n");
}

TEST(RecordLine, LeavesOutWhatIsEmpty) {
    EXPECT_EQ(lineOf(MessageRecord()),
              R"({"time":"1970-01-01T00:00:00.000000Z","kind":"submit","status":"ESME_ROK",)"
              R"("outcome":"accepted","took_us":0,"octets":0,"data_coding":0})"
              "\n");
}

TEST(RecordLine, NamesKindsAndStatuses) {
    MessageRecord record = someRecord();
    record.kind = MessageRecord::Kind::mo;
    record.status = smpp::Status::throttled;
    record.outcome = "refused";
    const auto line = nlohmann::json::parse(lineOf(record));
    EXPECT_EQ(line["kind"], "mo");
    EXPECT_EQ(line["status"], "ESME_RTHROTTLED");
    EXPECT_EQ(line["outcome"], "refused");
    record.kind = MessageRecord::Kind::receipt;
    EXPECT_EQ(nlohmann::json::parse(lineOf(record))["kind"], "receipt");
    record.kind = MessageRecord::Kind::alert;
    EXPECT_EQ(nlohmann::json::parse(lineOf(record))["kind"], "alert");
}

TEST(RecordLine, IsOneLineWhateverAPeerSends) {
    MessageRecord record = someRecord();
    record.smscMessageId = "a\"\n\xFF\\";
    const std::string line = lineOf(record);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(nlohmann::json::parse(line)["smsc_message_id"], "a\"\n\xEF\xBF\xBD\\");
}

TEST(RecordLine, MasksAddressesOnlyWhereThatIsAskedFor) {
    const auto line = nlohmann::json::parse(lineOf(someRecord(), true));
    EXPECT_EQ(line["destination"], "xxxxxxxxx567");
    EXPECT_EQ(line["source"], "INFO");
    EXPECT_EQ(line["message_id"], "17f00a");
}

TEST(RecordLine, SaysHowManyAreMissing) {
    std::string out;
    appendDroppedLine(out, std::chrono::system_clock::time_point(), 12);
    EXPECT_EQ(out,
              "{\"time\":\"1970-01-01T00:00:00.000000Z\",\"kind\":\"dropped\",\"count\":12}\n");
}

TEST(MaskedAddress, ShowsTheLastThreeDigits) {
    EXPECT_EQ(maskedAddress("+491701234567"), "+xxxxxxxxx567");
    EXPECT_EQ(maskedAddress("12345"), "xx345");
    EXPECT_EQ(maskedAddress("1234"), "x234");
}

TEST(MaskedAddress, LeavesShortNumbersAndNames) {
    EXPECT_EQ(maskedAddress("123"), "123");
    EXPECT_EQ(maskedAddress(""), "");
    EXPECT_EQ(maskedAddress("Info24h"), "Info24h");
}

}  // namespace
}  // namespace router
