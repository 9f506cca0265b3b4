#include <nio/base/Error.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>
#include <system_error>

namespace nio {
namespace {

constexpr Errc allCodes[] = {
    Errc::stopped,       Errc::notStarted,        Errc::queueFull,     Errc::waitCycle,
    Errc::notRegistered, Errc::alreadyRegistered, Errc::notSupported,  Errc::badAddress,
    Errc::nameNotFound,  Errc::timedOut,          Errc::packetTooLong, Errc::malformedPacket,
    Errc::notEncodable,  Errc::outputLimit,       Errc::cancelled,     Errc::handlerFailed,
    Errc::truncated,     Errc::encodingFailed,    Errc::notMovable,    Errc::memoryBudget,
    Errc::loopFailed,
};

TEST(Error, HasAMessageOfItsOwnForEachCode) {
    std::set<std::string> messages;
    for (const Errc code : allCodes) messages.insert(Error(code).message());
    EXPECT_EQ(messages.size(), std::size(allCodes));
    EXPECT_FALSE(messages.contains("unknown error"));
    EXPECT_EQ(Error(static_cast<Errc>(999)).message(), "unknown error");
}

TEST(Error, SaysWhatWasBeingDoneBeforeWhatWentWrong) {
    EXPECT_EQ(Error(Errc::badAddress, "'x'").message(), "'x': not an address");
    EXPECT_EQ(Error(std::errc::permission_denied, "bind 127.0.0.1:80").message(),
              "bind 127.0.0.1:80: Permission denied");
    EXPECT_EQ(Error(Errc::badAddress).message(), "not an address");
}

TEST(Error, IsComparedByItsCodeAlone) {
    const Error ours(Errc::queueFull, "somewhere");
    EXPECT_TRUE(ours.is(Errc::queueFull));
    EXPECT_FALSE(ours.is(Errc::stopped));
    EXPECT_FALSE(ours.is(std::errc::timed_out));
    EXPECT_EQ(ours.context(), "somewhere");
    EXPECT_EQ(ours.code(), Errc::queueFull);
}

TEST(Error, TellsCodesOfTheSystemFromOursWithTheSameNumber) {
    const Error system(static_cast<std::errc>(1));
    EXPECT_FALSE(system.is(Errc::stopped));
    EXPECT_FALSE(Error(Errc::stopped).is(static_cast<std::errc>(1)));
}

TEST(Error, RecognisesWhatTheSystemReports) {
    const Error system(std::error_code(ECONNRESET, std::system_category()));
    EXPECT_TRUE(system.is(std::errc::connection_reset));
    EXPECT_FALSE(system.is(std::errc::broken_pipe));
}

TEST(Error, IsRaisedAsASystemErrorWithItsContext) {
    try {
        Error(Errc::stopped, "invokeAndWait").raise();
        FAIL() << "nothing was thrown";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), Errc::stopped);
        EXPECT_NE(std::string(error.what()).find("invokeAndWait"), std::string::npos);
    }
}

TEST(Errc, BelongsToACategoryOfThisLibrary) {
    const std::error_code code = Errc::cancelled;
    EXPECT_STREQ(code.category().name(), "nio");
    EXPECT_EQ(&code.category(), &errorCategory());
    EXPECT_TRUE(code);
}

}  // namespace
}  // namespace nio
