// Receipts that outran the answer to their submit_sm: held until the message's id is known, and
// safe, for a limited time.
//
// Thread: one at a time. Time goes in.
// Limit: `maximum` receipts; one more pushes the oldest out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/sys/Clock.h>

namespace router {

struct HeldReceipt {
    nio::ChannelHandle link;
    nio::Bytes pdu;
    std::string id;  // as the receipt writes it
    nio::TimePoint until{};
    nio::TimePoint next{};  // when it is looked at again, at the latest at `until`
    nio::TimePoint arrived{};
    std::uint64_t place = 0;  // by arrival; given by hold(), and kept by who is held again
    std::string longerId{};   // if the words behind `id` belong to it; empty: there are none
};

class HeldReceipts {
  public:
    explicit HeldReceipts(std::size_t maximum = 10'000) : maximum_(maximum) {}

    // The one that was pushed out.
    std::optional<HeldReceipt> hold(HeldReceipt receipt);
    // Those that may be this message's, in the order of their arrival.
    std::vector<HeldReceipt> release(const std::string& smscId);
    // Those to be looked at again: their time has come, or they arrived before `oldest`.
    std::vector<HeldReceipt> due(nio::TimePoint now, nio::TimePoint oldest = nio::TimePoint::min());
    std::size_t size() const { return held_.size(); }
    bool empty() const { return held_.empty(); }

  private:
    using Place = std::uint64_t;

    HeldReceipt take(std::map<Place, HeldReceipt>::iterator held);

    std::size_t maximum_;
    Place last_ = 0;
    std::map<Place, HeldReceipt> held_;
    std::unordered_multimap<std::string, Place> byKey_;
};

}  // namespace router
