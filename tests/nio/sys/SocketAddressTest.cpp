#include <nio/sys/SocketAddress.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>

namespace nio {
namespace {

using Family = SocketAddress::Family;
using namespace std::string_literals;

struct Good {
    std::string text;
    Family family;
    std::string host;
    std::uint16_t port;
    std::string canonical;
};

const Good goodTexts[] = {
    {"127.0.0.1:7007", Family::ipv4, "127.0.0.1", 7007, "127.0.0.1:7007"},
    {"0.0.0.0:0", Family::ipv4, "0.0.0.0", 0, "0.0.0.0:0"},
    {"255.255.255.255:65535", Family::ipv4, "255.255.255.255", 65535, "255.255.255.255:65535"},
    {"127.0.0.1:00080", Family::ipv4, "127.0.0.1", 80, "127.0.0.1:80"},
    {"[::1]:7007", Family::ipv6, "::1", 7007, "[::1]:7007"},
    {"[::]:0", Family::ipv6, "::", 0, "[::]:0"},
    {"[2001:DB8:0:0:0:0:0:1]:80", Family::ipv6, "2001:db8::1", 80, "[2001:db8::1]:80"},
    {"[::ffff:10.1.2.3]:80", Family::ipv6, "::ffff:10.1.2.3", 80, "[::ffff:10.1.2.3]:80"},
    {"[fe80::1%1]:80", Family::ipv6, "fe80::1%lo", 80, "[fe80::1%lo]:80"},
    {"[fe80::1%lo]:80", Family::ipv6, "fe80::1%lo", 80, "[fe80::1%lo]:80"},
    {"[fe80::1%4000000000]:80", Family::ipv6, "fe80::1%4000000000", 80, "[fe80::1%4000000000]:80"},
    {"unix:/run/echo.sock", Family::unix_, "", 0, "unix:/run/echo.sock"},
    {"unix:relative", Family::unix_, "", 0, "unix:relative"},
    {"unix:a:b [1]:2", Family::unix_, "", 0, "unix:a:b [1]:2"},
};

void PrintTo(const Good& good, std::ostream* out) {
    *out << good.text;
}

class GoodSocketAddress : public testing::TestWithParam<Good> {};

TEST_P(GoodSocketAddress, IsUnderstoodInAllItsParts) {
    const auto address = SocketAddress::parse(GetParam().text);
    ASSERT_TRUE(address.ok()) << address.error().message();
    EXPECT_EQ(address.value().family(), GetParam().family);
    EXPECT_EQ(address.value().host(), GetParam().host);
    EXPECT_EQ(address.value().port(), GetParam().port);
    EXPECT_EQ(address.value().toString(), GetParam().canonical);
}

TEST_P(GoodSocketAddress, ComesBackFromItsOwnText) {
    const SocketAddress address = SocketAddress::parse(GetParam().text).orThrow();
    EXPECT_EQ(SocketAddress::parse(address.toString()).orThrow(), address);
}

TEST_P(GoodSocketAddress, ComesBackFromTheSystemForm) {
    const SocketAddress address = SocketAddress::parse(GetParam().text).orThrow();
    EXPECT_EQ(SocketAddress::fromSystem(address.data(), address.length()), address);
}

INSTANTIATE_TEST_SUITE_P(Table, GoodSocketAddress, testing::ValuesIn(goodTexts));

const std::string badTexts[] = {
    "",
    ":",
    ":80",
    "80",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:99999999999999999999",
    "127.0.0.1:-1",
    "127.0.0.1:+1",
    "127.0.0.1: 1",
    "127.0.0.1:1 ",
    "127.0.0.1:0x10",
    "127.0.0.1:http",
    " 127.0.0.1:80",
    "127.1:80",
    "127.0.0.256:80",
    "127.0.0.1.1:80",
    "localhost:80",
    "[127.0.0.1]:80",
    "127.0.0.1\0:80"s,
    "::1",
    "::1:80",
    "[::1]",
    "[::1]80",
    "[::1]:",
    "[::1]:65536",
    "[]:80",
    "[:80",
    "]:80",
    "[::1:80",
    "::1]:80",
    "[[::1]]:80",
    "[1::2::3]:80",
    "[12345::]:80",
    "[fe80::1%]:80",
    "[fe80::1%0]:80",
    "[fe80::1%4294967296]:80",
    "[fe80::1%no-such-net]:80",
    "[fe80::1%lo\0]:80"s,
    "[%lo]:80",
    "unix:",
    "unix:a\0b"s,
    "unix:\0abstract"s,
    "UNIX:/x",
};

class BadSocketAddress : public testing::TestWithParam<std::string> {};

TEST_P(BadSocketAddress, IsRefusedByName) {
    const auto address = SocketAddress::parse(GetParam());
    ASSERT_FALSE(address.ok()) << address.value().toString();
    EXPECT_TRUE(address.error().is(Errc::badAddress)) << address.error().message();
    EXPECT_EQ(address.error().context(), "'" + GetParam() + "'");
}

INSTANTIATE_TEST_SUITE_P(Table, BadSocketAddress, testing::ValuesIn(badTexts));

TEST(SocketAddress, IsOfNoFamilyByDefault) {
    const SocketAddress address;
    EXPECT_EQ(address.family(), Family::none);
    EXPECT_EQ(address.length(), 0u);
    EXPECT_EQ(address.port(), 0);
    EXPECT_EQ(address.toString(), "");
    EXPECT_EQ(address, SocketAddress());
    EXPECT_FALSE(address == SocketAddress::loopback4(0));
}

TEST(SocketAddress, TakesANumericHostWithoutBrackets) {
    EXPECT_EQ(SocketAddress::numeric("::1", 80).orThrow().toString(), "[::1]:80");
    EXPECT_EQ(SocketAddress::numeric("127.0.0.1", 80).orThrow().toString(), "127.0.0.1:80");
    EXPECT_TRUE(SocketAddress::numeric("[::1]", 80).error().is(Errc::badAddress));
    EXPECT_TRUE(SocketAddress::numeric("localhost", 80).error().is(Errc::badAddress));
    EXPECT_TRUE(SocketAddress::numeric("", 80).error().is(Errc::badAddress));
}

TEST(SocketAddress, TakesUnixPathsUpTo107Bytes) {
    const std::string longest(107, 'p');
    const auto address = SocketAddress::unixPath(longest);
    ASSERT_TRUE(address.ok());
    EXPECT_EQ(address.value().path(), longest);
    EXPECT_EQ(address.value().length(), sizeof(sockaddr_un));

    EXPECT_TRUE(SocketAddress::unixPath(longest + "p").error().is(Errc::badAddress));
    EXPECT_TRUE(SocketAddress::parse("unix:" + longest).ok());
    EXPECT_FALSE(SocketAddress::parse("unix:" + longest + "p").ok());
}

TEST(SocketAddress, ReadsAPathThatTheSystemDidNotTerminate) {
    sockaddr_un system{};
    system.sun_family = AF_UNIX;
    std::memset(system.sun_path, 'p', sizeof system.sun_path);
    const auto* data = reinterpret_cast<const sockaddr*>(&system);
    EXPECT_EQ(SocketAddress::fromSystem(data, sizeof system).path(), std::string(108, 'p'));
}

TEST(SocketAddress, HasNoPathWhereTheSystemNamedNone) {
    sockaddr_un system{};
    system.sun_family = AF_UNIX;
    const auto* data = reinterpret_cast<const sockaddr*>(&system);
    const auto unnamed = SocketAddress::fromSystem(data, offsetof(sockaddr_un, sun_path));
    EXPECT_TRUE(unnamed.isUnix());
    EXPECT_EQ(unnamed.path(), "");
    EXPECT_EQ(unnamed.toString(), "unix:");
}

TEST(SocketAddress, ShowsNoControlCharacterOfAPath) {
    const std::string path = "/tmp/x\nconnected: \x1b[2J\xc2\x9b\x7f\xc3\xa4";
    const SocketAddress address = SocketAddress::unixPath(path).orThrow();
    EXPECT_EQ(address.toString(), "unix:/tmp/x?connected: ?[2J\xc2??\xc3\xa4");
    EXPECT_EQ(address.path(), path);
}

// The octet 0x84 is one of a control character only behind 0xc2.
TEST(SocketAddress, ShowsTheOtherCharactersOfAPathAsTheyAre) {
    for (const std::string path : {"\xc3\x84", "\x84.socket"}) {
        EXPECT_EQ(SocketAddress::unixPath(path).orThrow().toString(), "unix:" + path);
    }
}

TEST(SocketAddress, OfNothingIsOfNoFamilyAndHasNoPath) {
    EXPECT_EQ(SocketAddress::fromSystem(nullptr, 0).family(), SocketAddress::Family::none);
    EXPECT_EQ(SocketAddress::fromSystem(nullptr, 0).path(), "");
    EXPECT_EQ(SocketAddress::loopback4(1).path(), "");
}

TEST(SocketAddress, TellsDifferentAddressesApart) {
    const std::string texts[] = {
        "127.0.0.1:1", "127.0.0.1:2", "127.0.0.2:1",    "[::1]:1",         "[::1]:2",
        "[::2]:1",     "[::1%1]:1",   "unix:/a/socket", "unix:/a/socket2", "unix:/b/socket"};
    for (const std::string& one : texts) {
        for (const std::string& other : texts) {
            const bool equal =
                SocketAddress::parse(one).orThrow() == SocketAddress::parse(other).orThrow();
            EXPECT_EQ(equal, one == other) << one << " and " << other;
        }
    }
}

TEST(SocketAddress, ComparesWithoutTheFlowLabel) {
    sockaddr_in6 system{};
    system.sin6_family = AF_INET6;
    system.sin6_addr = in6addr_loopback;
    system.sin6_flowinfo = 7;
    const auto* data = reinterpret_cast<const sockaddr*>(&system);
    EXPECT_EQ(SocketAddress::fromSystem(data, sizeof system), SocketAddress::loopback6(0));
}

TEST(SocketAddress, ChangesItsPortAndNothingElse) {
    EXPECT_EQ(SocketAddress::parse("[fe80::1%1]:1").orThrow().withPort(65535),
              SocketAddress::parse("[fe80::1%1]:65535").orThrow());
    EXPECT_EQ(SocketAddress::loopback4(1).withPort(2), SocketAddress::loopback4(2));
    const SocketAddress file = SocketAddress::unixPath("/x").orThrow();
    EXPECT_EQ(file.withPort(2), file);
}

TEST(SocketAddress, KnowsTheLoopbacks) {
    EXPECT_EQ(SocketAddress::loopback4(7).toString(), "127.0.0.1:7");
    EXPECT_EQ(SocketAddress::loopback6(7).toString(), "[::1]:7");
}

}  // namespace
}  // namespace nio
