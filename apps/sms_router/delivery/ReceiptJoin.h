// Makes the receipts of a message that was sent in parts one: when all parts are delivered it is
// the last of them, and as soon as one has failed for good it is that one's. The others wait until
// it has been told: if it is given back to its SMSC, or the router is killed, they are as before.
//
// Thread: one at a time.
// Limit: mostRemembered messages that were told of, or a part of which was dropped, are remembered
// without a delivery. Of older ones, and of those that an earlier run has told of, a failure is
// told again, and a delivered part waits for others that do not come.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include <smpp/text/Receipt.h>

#include "sms_router/model/MessageId.h"

namespace router {

class ReceiptJoin {
  public:
    static constexpr std::size_t mostRemembered = 10'000;

    enum class Verdict : std::uint8_t {
        waits,   // for the others
        passes,  // to the application
        isTold,  // by another one, or it was told before
    };
    // The final receipt of a part; `number`: of its delivery.
    Verdict add(Whole whole, MessageId part, std::uint64_t number, smpp::MessageState state);
    // The delivery has ended: it was told, or dropped; or its SMSC has it still. Those that need
    // not be told any more.
    std::vector<std::uint64_t> ended(Whole whole, std::uint64_t number, bool isOver);
    // The application knows that the message has failed. Those that need not be told.
    std::vector<std::uint64_t> giveUp(MessageId message);

    std::size_t size() const { return messages_.size(); }

  private:
    struct Message {
        std::map<MessageId, std::uint64_t> delivered{};  // number by part; 0: it was dropped
        std::uint64_t passing = 0;                       // 0: none
        bool isTold = false;
        bool isRemembered = false;
    };

    static std::vector<std::uint64_t> numbersIn(const Message& message);
    std::vector<std::uint64_t> passed(Whole whole, Message& message);
    std::vector<std::uint64_t> told(MessageId id, Message& message);
    void remember(MessageId id, Message& message);

    std::unordered_map<MessageId, Message> messages_;
    std::deque<MessageId> remembered_;  // the oldest first
};

}  // namespace router
