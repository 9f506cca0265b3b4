// Thousands of ESMEs at once.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <vector>

#include "apps/sms_router/scale/CleanScene.h"
#include "apps/sms_router/scale/ProcessFigures.h"
#include "support/Required.h"
#include "support/Sanitized.h"

namespace router::scenarios {
namespace {

constexpr int bindsAtOnce = 250;

// As many descriptors as this process may have, for a while.
class MostDescriptors {
  public:
    MostDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit most{before_.rlim_max, before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &most);
    }
    MostDescriptors(const MostDescriptors&) = delete;
    MostDescriptors& operator=(const MostDescriptors&) = delete;
    ~MostDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

    rlim_t count() const { return before_.rlim_max; }

  private:
    rlimit before_{};
};

std::string accountName(int number) {
    return "many" + std::to_string(number);
}

std::string accountsUpTo(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += "[account." + accountName(i) + "]\npassword = \"secret\"\n";
    }
    return text;
}

// Adds binds, several at once.
void bindMore(std::vector<SmppPeer>& esmes, RouterProcess& router, int count,
              const std::function<Binding(int)>& binding) {
    for (int done = 0; done < count;) {
        const std::size_t first = esmes.size();
        std::vector<std::uint32_t> sent;
        for (int i = 0; i < bindsAtOnce && done < count; ++i, ++done) {
            SmppPeer& esme = esmes.emplace_back(router.connected());
            sent.push_back(esme.nextSequence());
            esme.send(bindPdu(sent.back(), binding(done)));
        }
        for (std::size_t i = 0; i < sent.size(); ++i) {
            ASSERT_EQ(esmes[first + i].expectAnswer(sent[i]).status(), Status::ok);
        }
    }
}

TEST(RouterManyBinds, ServesAThousandEsmesAtOnce) {
    const MostDescriptors descriptors;
    const int count = support::scaled(1000, 200);
    CleanScene scene({.more = accountsUpTo(count)});
    std::vector<SmppPeer> esmes;
    bindMore(esmes, scene.router, count, [](int number) {
        return Binding{.systemId = accountName(number), .password = "secret"};
    });
    ASSERT_EQ(esmes.size(), static_cast<std::size_t>(count));

    std::vector<std::uint32_t> sent;
    for (int i = 0; i < count; ++i) {
        sent.push_back(esmes[static_cast<std::size_t>(i)].submit({.text = accountName(i)}));
    }
    std::vector<std::string> smscIds;
    for (int i = 0; i < count; ++i) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        smscIds.push_back("s-" + submit.message());
        scene.smsc.answer(submit, smscIds.back());
    }
    for (const std::string& smscId : smscIds) scene.smsc.receipt(receiptOf(smscId));
    for (std::size_t i = 0; i < esmes.size(); ++i) {
        SCOPED_TRACE(i);
        const OwnedPdu answer = esmes[i].expectAnswer(sent[i]);
        EXPECT_EQ(answer.status(), Status::ok);
        const OwnedPdu receipt = esmes[i].expect(Command::deliverSm);
        EXPECT_TRUE(receipt.message().starts_with("id:" + answer.id() + " "));
        esmes[i].answer(receipt);
    }
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(scene.smsc.expect(Command::deliverSmResp).status(), Status::ok);
    }
}

TEST(RouterManyBinds, NeedsFourKibibytesForAnIdleOne) {
    const int count = support::scaled(10'000, 1'000);
    // The router has as many as this process.
    const rlim_t needed = static_cast<rlim_t>(count) + 1500;
    const MostDescriptors descriptors;
    if (descriptors.count() < needed) {
        NIO_SKIP_OR_FAIL("too few descriptors are allowed: " << needed << " are needed");
    }
    CleanScene scene({.esme1 = "max_binds = 20000"});
    const auto binding = [](int) { return Binding{}; };
    std::vector<SmppPeer> esmes;
    // The first ones pay for what all have in common.
    bindMore(esmes, scene.router, 500, binding);
    const pid_t pid = scene.router.process().pid();
    const long before = anonymousKiB(pid);
    bindMore(esmes, scene.router, count, binding);
    const long after = anonymousKiB(pid);
    ASSERT_EQ(esmes.size(), static_cast<std::size_t>(count) + 500);

    for (SmppPeer& esme : esmes) esme.send(bare(Command::enquireLink, esme.nextSequence()));
    for (SmppPeer& esme : esmes) esme.expect(Command::enquireLinkResp);
    const double each = static_cast<double>(after - before) / count;
    RecordProperty("kibibytesPerBind", std::to_string(each));
    if (!support::sanitized) {
        EXPECT_LE(each, 4.0) << "KiB; " << before << " before, " << after << " afterwards";
    }
}

}  // namespace
}  // namespace router::scenarios
