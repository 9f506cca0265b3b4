// An SMSC that outlives the router: it accepts every message, sends each one's receipt a little
// later, and messages of subscribers now and then; what was not acknowledged it sends again on the
// next bind. A receipt ends with the name of its message, which is the message's text. Ids are 1,
// 2, 3 …, which are easily taken for each other.
//
// Thread: one at a time.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <nio/sys/Clock.h>

#include "apps/sms_router/durability/Wire.h"
#include "nio/sys/KernelTesting.h"

namespace router::scenarios {

class LoadSmsc {
  public:
    explicit LoadSmsc(std::mt19937& random);

    std::uint16_t port() const { return listener_.address().port(); }
    void addInterests(std::vector<pollfd>& interests) const;
    // Accepts a connection; reads, answers, sends what is due.
    void pump();
    bool isBound() const { return bound_; }
    // With messages of subscribers to these numbers.
    void sendMessagesTo(std::vector<std::string> numbers) { numbers_ = std::move(numbers); }

    // Nothing waits to be sent or acknowledged.
    bool isDone() const { return waiting_.empty() && sent_.empty(); }
    // Acknowledged with ESME_ROK: receipts and messages, by their names.
    const std::set<std::string>& acknowledged() const { return acknowledged_; }
    // Receipts that were refused for good.
    const std::set<std::string>& refused() const { return refused_; }
    std::string describe() const;

  private:
    struct Outgoing {
        std::string name;
        Message message;
        nio::TimePoint due;
    };

    void arrived(const OwnedPdu& pdu);
    void accept(const OwnedPdu& submit);
    void acknowledge(const OwnedPdu& answer);
    void makeMessage();
    void sendWhatIsDue();
    void lost();
    nio::TimePoint soon();

    std::mt19937& random_;
    nio::kerneltest::TemporaryFolder folder_;
    nio::kerneltest::Listener listener_;
    std::optional<Wire> wire_;
    bool bound_ = false;
    std::uint32_t sequence_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t messages_ = 0;
    std::vector<std::string> numbers_;
    std::deque<Outgoing> waiting_;
    std::map<std::uint32_t, Outgoing> sent_;
    std::set<std::string> acknowledged_;
    std::set<std::string> refused_;
};

}  // namespace router::scenarios
