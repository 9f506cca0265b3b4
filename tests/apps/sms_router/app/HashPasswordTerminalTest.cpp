// sms-router --hash-password at a terminal, which does not show what is typed meanwhile.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <nio/sys/Clock.h>
#include <nio/sys/UniqueFd.h>

#include "support/Process.h"

namespace {

class HashPasswordTerminal : public testing::Test {
  protected:
    HashPasswordTerminal() {
        EXPECT_EQ(::grantpt(person_.get()), 0);
        EXPECT_EQ(::unlockpt(person_.get()), 0);
        terminal_ = nio::UniqueFd(::open(::ptsname(person_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    }
    support::Process asked() {
        return support::Process({"sh", "-c", "exec \"$0\" --hash-password <\"$1\"",
                                 support::bin("sms-router"), ::ptsname(person_.get())});
    }
    bool shows() const {
        termios now{};
        EXPECT_EQ(::tcgetattr(terminal_.get(), &now), 0);
        return (now.c_lflag & ECHO) != 0;
    }
    bool hidesInTime() const {
        const nio::TimePoint end = nio::Clock::now() + support::Process::patience;
        while (shows() && nio::Clock::now() < end) std::this_thread::yield();
        return !shows();
    }
    void type(std::string_view text) const {
        EXPECT_EQ(::write(person_.get(), text.data(), text.size()),
                  static_cast<ssize_t>(text.size()));
    }

    nio::UniqueFd person_{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    nio::UniqueFd terminal_;
};

TEST_F(HashPasswordTerminal, IsHiddenWhileThePasswordIsTyped) {
    support::Process router = asked();
    ASSERT_TRUE(hidesInTime());
    type("secret1\n");
    EXPECT_EQ(router.wait(), 0);
    EXPECT_TRUE(router.output().starts_with("$")) << router.output();
    EXPECT_TRUE(shows());
}

TEST_F(HashPasswordTerminal, ShowsAgainWhatIsTypedWhenItIsInterrupted) {
    for (const int signal : {SIGINT, SIGTERM}) {
        support::Process router = asked();
        ASSERT_TRUE(hidesInTime());
        router.signal(signal);
        EXPECT_EQ(router.wait(), 128 + signal);
        EXPECT_TRUE(shows());
    }
}

}  // namespace
