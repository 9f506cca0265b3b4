// The PROXY header, byte by byte: what strangers send first.
#include "echo_server/ProxyHeader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nio/base/Bytes.h>

namespace {

using testing::HasSubstr;

struct Header {
    std::string bytes;
    std::string shown;
};

std::string binary(int command, int family, const std::string& rest) {
    const std::string signature("\r\n\r\n\0\r\nQUIT\n", 12);
    return signature + static_cast<char>(0x20 | command) + static_cast<char>(family) +
           static_cast<char>(rest.size() >> 8) + static_cast<char>(rest.size() & 255) + rest;
}

std::string padded(std::string path) {
    path.resize(108);
    return path;
}

std::vector<Header> wellFormed() {
    const std::string v4("\xC0\0\x02\x01\xC0\0\x02\x02\x04\xD2\0\x50", 12);
    const std::string v6 = "\x20\x01\x0D\xB8" + std::string(11, '\0') + "\x01\x20\x01\x0D\xB8" +
                           std::string(11, '\0') + "\x02" + std::string("\x04\xD2\0\x50", 4);
    const std::string extension("\x04\0\x02no", 5);
    const std::string fromSixToSix = "[2001:db8::1]:1234 to [2001:db8::2]:80";
    return {
        {"PROXY TCP4 192.0.2.1 192.0.2.2 1234 80\r\n",
         "192.0.2.1:1234 to 192.0.2.2:80 (version 1)"},
        {"PROXY TCP6 2001:db8::1 2001:db8::2 1234 80\r\n", fromSixToSix + " (version 1)"},
        {"PROXY UNKNOWN\r\n", "unknown to unknown (version 1)"},
        {"PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n", "unknown to unknown (version 1)"},
        {binary(1, 0x11, v4), "192.0.2.1:1234 to 192.0.2.2:80 (version 2)"},
        {binary(1, 0x12, v4 + extension), "192.0.2.1:1234 to 192.0.2.2:80 (version 2)"},
        {binary(1, 0x21, v6), fromSixToSix + " (version 2)"},
        {binary(1, 0x31, padded("/run/a") + padded("/run/b")),
         "unix:/run/a to unix:/run/b (version 2)"},
        {binary(1, 0, ""), "unknown to unknown (version 2)"},
        {binary(0, 0, ""), "the proxy itself (version 2)"},
    };
}

auto parsed(std::string_view text) {
    return echo::parseProxyHeader(nio::asBytes(text));
}

TEST(ProxyHeader, IsReadAndShown) {
    for (const auto& [bytes, shown] : wellFormed()) {
        const auto header = parsed(bytes + "PROXY");
        ASSERT_TRUE(header && header.value()) << shown;
        EXPECT_EQ(header.value()->toString(), shown);
        EXPECT_EQ(header.value()->bytes, bytes.size());
    }
}

TEST(ProxyHeader, IsAwaitedToItsLastByte) {
    for (const auto& [bytes, shown] : wellFormed()) {
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            // A copy that ends where it ends, for AddressSanitizer.
            const std::vector<char> begun(bytes.begin(), bytes.begin() + static_cast<long>(size));
            const auto header = parsed({begun.data(), begun.size()});
            EXPECT_TRUE(header && !header.value()) << shown << ", " << size << " bytes";
        }
    }
}

TEST(ProxyHeader, WithOneWrongByteIsBounded) {
    for (const auto& [bytes, shown] : wellFormed()) {
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            for (const int change : {0x01, 0x20, 0x80, 0xFF}) {
                std::vector<char> wrong(bytes.begin(), bytes.end());
                wrong[at] = static_cast<char>(wrong[at] ^ change);
                const auto header = parsed({wrong.data(), wrong.size()});
                if (!header || !header.value()) continue;
                EXPECT_LE(header.value()->bytes, wrong.size()) << shown << ", byte " << at;
                EXPECT_THAT(header.value()->toString(), HasSubstr(" (version ")) << shown;
            }
        }
    }
}

TEST(ProxyHeader, IsRefusedWithItsReason) {
    const std::pair<std::string, const char*> cases[] = {
        {"GET / HTTP/1.1\r\n", "neither as version 1 nor as 2"},
        {"PROXY TCP4 192.0.2.1 192.0.2.2 1234\r\n", "addresses or ports"},
        {"PROXY TCP4 192.0.2.1 192.0.2.2 1234 65536\r\n", "addresses or ports"},
        {"PROXY TCP4 192.0.2.1 192.0.2.2 01234 80\r\n", "addresses or ports"},
        {"PROXY TCP4 192.0.2.1  192.0.2.2 1234 80\r\n", "addresses or ports"},
        {"PROXY TCP4 2001:db8::1 2001:db8::2 1234 80\r\n", "addresses or ports"},
        {"PROXY TCP6 fe80::1%lo fe80::2 1234 80\r\n", "addresses or ports"},
        {"PROXY UDP4 192.0.2.1 192.0.2.2 1234 80\r\n", "protocol is not"},
        {"PROXY TCP4 " + std::string(100, '1'), "more than 107 bytes"},
        {binary(1, 0x11, "short"), "too short"},
        {binary(1, 0x41, ""), "family or transport"},
        {binary(2, 0x11, std::string(12, '\0')), "unknown command"},
        {binary(1, 0x11, std::string(12, '\0') + "\x04\xFF\xFF"), "extensions"},
        {"\r\n\r\n\r\n", "signature"},
    };
    for (const auto& [bytes, why] : cases) {
        const auto header = parsed(bytes);
        ASSERT_FALSE(header) << bytes;
        EXPECT_THAT(header.error().message(), HasSubstr(why)) << bytes;
    }
}

}  // namespace
