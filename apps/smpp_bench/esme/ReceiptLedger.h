// Which message_ids were answered, and which receipts came: each answered one wants exactly one, at
// the account that sent it. Answer and receipt may come in either order.
//
// Thread: one at a time.
// Limits: 24 octets or so per message; ids are known by a hash of 64 bits.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace smppbench {

class ReceiptLedger {
  public:
    struct Totals {
        std::uint64_t answered = 0;     // message_ids
        std::uint64_t repeatedIds = 0;  // answers with one that was there before
        std::uint64_t receipts = 0;     // all that came
        std::uint64_t complete = 0;     // answered, and a receipt has come
        std::uint64_t duplicated = 0;   // receipts beyond the first of their message
        std::uint64_t misrouted = 0;    // at an account that did not send the message
        std::uint64_t unknown = 0;      // of ids that nobody was answered with, so far

        std::uint64_t lost() const { return answered - complete; }
    };

    void answered(std::string_view messageId, std::size_t account);
    void receipt(std::string_view messageId, std::size_t account);
    const Totals& totals() const { return totals_; }
    void reserve(std::size_t messages) { entries_.reserve(messages); }

  private:
    static constexpr std::uint16_t nobody = 0xFFFF;
    struct Entry {
        std::uint16_t sender = nobody;    // nobody: not answered yet
        std::uint16_t receiver = nobody;  // nobody: no receipt yet
    };

    Entry& entryOf(std::string_view messageId);
    void settle(const Entry& entry);

    std::unordered_map<std::uint64_t, Entry> entries_;
    Totals totals_;
};

}  // namespace smppbench
