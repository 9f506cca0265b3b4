#include <gtest/gtest.h>

#include <set>

#include <smpp/pdu/TlvList.h>

#include "Octets.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

std::vector<std::string> listed(const TlvList& tlvs) {
    std::vector<std::string> found;
    for (const Tlv& tlv : tlvs) {
        found.push_back(std::string(nameOf(tlv.tag)) + "=" + shown(tlv.value));
    }
    return found;
}

TEST(TlvList, ShowsTagsAndValuesInTheirOrder) {
    const nio::Bytes bytes = octets("0427 0001 02  1401 0003 'abc'  130C 0000  0204 0002 1234");
    ASSERT_EQ(TlvList::wholeOctets(bytes), bytes.size());
    EXPECT_EQ(
        listed(TlvList(bytes)),
        (std::vector<std::string>{"message_state=02", "unknown=616263",
                                  "alert_on_message_delivery=", "user_message_reference=1234"}));
}

TEST(TlvList, IsEmptyWithoutOctets) {
    EXPECT_TRUE(TlvList().empty());
    EXPECT_EQ(TlvList::wholeOctets({}), 0u);
    EXPECT_EQ(listed(TlvList()), std::vector<std::string>{});
    EXPECT_EQ(TlvList().find(Tag::messagePayload), std::nullopt);
}

TEST(TlvList, FindsTheFirstWithATag) {
    const nio::Bytes bytes = octets("0005 0001 01  0427 0001 02  0427 0001 05");
    const auto found = TlvList(bytes).find(Tag::messageState);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->data(), bytes.data() + 9);
    EXPECT_EQ(shown(*found), "02");
    EXPECT_EQ(TlvList(bytes).find(Tag::sourcePort), std::nullopt);
}

TEST(TlvList, IsWholeUpToTheEndOfATlv) {
    const nio::Bytes bytes = octets("0427 0001 02  1401 0003 'abc'  130C 0000  0204 0002 1234");
    std::size_t whole = 0;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const Exactly part(nio::ByteView(bytes).first(size));
        if (size == 5 || size == 12 || size == 16 || size == 22) whole = size;
        EXPECT_EQ(TlvList::wholeOctets(part.view()), whole) << size;
    }
}

TEST(TlvList, BelievesNoLengthBeyondTheEnd) {
    EXPECT_EQ(TlvList::wholeOctets(Exactly(octets("0424 FFFF 'abc'")).view()), 0u);
    EXPECT_EQ(TlvList::wholeOctets(Exactly(octets("0424 0004 'abc'")).view()), 0u);
    EXPECT_EQ(TlvList::wholeOctets(Exactly(octets("0424 0003 'abc'")).view()), 7u);
}

TEST(Tag, HasTheNumberAndTheNameOfTheSpecification) {
    EXPECT_EQ(nameOf(static_cast<Tag>(0x001E)), "receipted_message_id");
    EXPECT_EQ(nameOf(static_cast<Tag>(0x0424)), "message_payload");
    EXPECT_EQ(nameOf(static_cast<Tag>(0x020C)), "sar_msg_ref_num");
    EXPECT_EQ(nameOf(static_cast<Tag>(0x0210)), "sc_interface_version");
    EXPECT_EQ(nameOf(static_cast<Tag>(0x1383)), "its_session_info");
    EXPECT_EQ(nameOf(static_cast<Tag>(0x1400)), "unknown");
    EXPECT_EQ(nameOf(static_cast<Tag>(0x0000)), "unknown");
}

// 5.3.2: 44 of them.
TEST(Tag, HasANameOfItsOwn) {
    std::set<std::string_view> names;
    std::size_t known = 0;
    for (unsigned value = 0; value <= 0xFFFF; ++value) {
        const std::string_view name = nameOf(static_cast<Tag>(value));
        if (name == "unknown") continue;
        names.insert(name);
        ++known;
    }
    EXPECT_EQ(known, 44u);
    EXPECT_EQ(names.size(), known);
}

}  // namespace
}  // namespace smpp
