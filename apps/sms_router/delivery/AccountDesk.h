// The one place where an account's connections, and what waits for them, are known: on the
// account's home dispatcher.
//
// A delivery goes to a receiving bind with room in its window, in turn; those that come in one turn
// of the dispatcher go to the same, up to 16. It leaves when it was
// acknowledged, or refused for good; it is repeated when the bind is lost, does not answer, or
// answers with a temporary error: after a pause that doubles, up to half a minute, and once in that
// time at once when a receiving bind comes. A bind that has not answered the last time is skipped
// while another one answers (DeskBinds), but for one delivery in half a minute. What cannot be
// delivered soon is put into the store, and then the SMSC is told that it is safe; what the store
// does not take stays the SMSC's.
//
// What waits for a bind, or for another attempt, can be fetched instead (pulledNow()).
//
// Thread: its dispatcher's own, except construction and dispatcher().
// Lifetime: that of the router.
// Limits: AccountConfig::keep: over it the oldest that is kept and not under way is dropped,
// counted. What comes while as much waits that is neither kept nor acknowledged is refused with
// ESME_RMSGQFUL: the SMSC still has it.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include <nio/timers/Deadline.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/delivery/DeskBinds.h"
#include "sms_router/delivery/ReceiptJoin.h"
#include "sms_router/delivery/ReceiptOrder.h"
#include "sms_router/model/Account.h"
#include "sms_router/model/Delivery.h"
#include "sms_router/model/LastError.h"
#include "sms_router/routing/Shard.h"

namespace router {

class AccountDesk final {
  public:
    AccountDesk(Account& account, Shard& home) : account_(account), home_(home) {}

    nio::SelectorThread& dispatcher() const { return home_.thread(); }
    void deliverNow(Delivery&& delivery) NIO_REQUIRES(nio::onDispatcher);

    struct Entrant {
        nio::ChannelHandle link;
        Ingress* receives = nullptr;  // null: it does not
    };
    // False: the account has all the binds it may have.
    bool admitNow(const Entrant& entrant) NIO_REQUIRES(nio::onDispatcher);
    // It can be sent to from now on.
    void boundNow(nio::ChannelHandle link) NIO_REQUIRES(nio::onDispatcher);
    // It may still acknowledge what it has, and is sent nothing more.
    void unbindsNow(nio::ChannelHandle link) NIO_REQUIRES(nio::onDispatcher);
    // The connection is over; what it has not acknowledged goes elsewhere. Looks at that only, and,
    // where nobody receives any more, at what is not kept yet.
    void leaveNow(nio::ChannelHandle link) NIO_REQUIRES(nio::onDispatcher);
    // Absent: it did not answer in time.
    void answeredNow(nio::ChannelHandle link, std::uint64_t number,
                     std::optional<smpp::Status> status) NIO_REQUIRES(nio::onDispatcher);
    // It was not sent: the connection had begun to unbind.
    void returnedNow(nio::ChannelHandle link, std::uint64_t number) NIO_REQUIRES(nio::onDispatcher);
    // It did after all, when that was known to the desk as no answer.
    void answeredLateNow(nio::ChannelHandle link, std::uint64_t number, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);

    struct Pulled {
        std::uint64_t since = 0;  // by which the next pull acknowledges them
        std::map<std::uint64_t, std::shared_ptr<const nio::Bytes>> deliveries{};  // by number
    };
    // Some of what waits, the next to deliver first; it goes on waiting. `since` acknowledges just
    // what the answer with that number has shown, also where a bind has it meanwhile. One
    // that is not among the last few answers, or is of an earlier run, acknowledges nothing.
    Pulled pulledNow(std::uint64_t since, std::size_t most) NIO_REQUIRES(nio::onDispatcher);

    // The application knows that not all parts of this message were accepted.
    void giveUpNow(MessageId message) NIO_REQUIRES(nio::onDispatcher);

    // What an earlier run has kept. useLimitsNow() follows.
    void restore(KeptRecord record) NIO_REQUIRES(nio::onDispatcher);
    void useLimitsNow(const AccountConfig& config) NIO_REQUIRES(nio::onDispatcher);

    struct Figures {
        std::uint64_t delivered = 0;
        std::uint64_t receipts = 0;
        std::uint64_t dropped = 0;
        std::size_t kept = 0;
        std::size_t keptBytes = 0;
        std::size_t waiting = 0;  // that nothing has acknowledged, kept or not
        LastError lastError;
    };
    Figures figuresNow() const NIO_REQUIRES(nio::onDispatcher);
    // Whose SMSC waits for its answer.
    std::size_t unsafe() const;
    // What it looks through for the next to deliver: little more than there is to deliver.
    std::size_t queuedNow() const { return ready_.size(); }

  private:
    enum class Keeping : std::uint8_t { no, underWay, done };
    struct Item {
        Delivery delivery;
        nio::ChannelHandle on{};  // the bind that has it
        bool inFlight = false;
        bool isOwed = false;  // it is in owed_
        Keeping keeping = Keeping::no;
        unsigned attempts = 0;
        std::int64_t keptAt = 0;
    };
    using Items = std::unordered_map<std::uint64_t, Item>;

    bool isCrowded() const;
    bool isWhole(std::uint64_t number, Item& item) NIO_REQUIRES(nio::onDispatcher);
    void finishJoined(const std::vector<std::uint64_t>& numbers) NIO_REQUIRES(nio::onDispatcher);
    void forgetGone();
    void readyAgain(std::uint64_t number);
    void repeatAll();
    void pump() NIO_REQUIRES(nio::onDispatcher);
    void send(DeskBinds::Taken bind, std::uint64_t number, Item& item)
        NIO_REQUIRES(nio::onDispatcher);
    void retry(Items::iterator again, std::optional<smpp::Status> status)
        NIO_REQUIRES(nio::onDispatcher);
    bool isKeepable(const Item& item) const;
    void keep(std::uint64_t number, Item& item) NIO_REQUIRES(nio::onDispatcher);
    std::unique_ptr<MessageRecord> recordOf(nio::ByteView kept, std::int64_t time) const;
    void keepNothing(std::uint64_t number) NIO_REQUIRES(nio::onDispatcher);
    void owe(std::uint64_t number, Item& item);
    void keepFirstOwed() NIO_REQUIRES(nio::onDispatcher);
    void keepAll() NIO_REQUIRES(nio::onDispatcher);
    void keptNow(std::uint64_t number, bool committed) NIO_REQUIRES(nio::onDispatcher);
    void report(Delivery& delivery, Delivered how, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    void finish(Items::iterator item, Delivered how, smpp::Status status, std::string_view outcome)
        NIO_REQUIRES(nio::onDispatcher);
    void write(Delivery& delivery, smpp::Status status, std::string_view outcome)
        NIO_REQUIRES(nio::onDispatcher);
    void refuse(Delivery&& delivery) NIO_REQUIRES(nio::onDispatcher);
    void dropBeyondLimits() NIO_REQUIRES(nio::onDispatcher);
    bool dropOldest() NIO_REQUIRES(nio::onDispatcher);
    std::optional<std::uint64_t> takeOldestKept(std::int64_t before);
    void drop(std::uint64_t number, std::string_view outcome) NIO_REQUIRES(nio::onDispatcher);
    void dropExpired() NIO_REQUIRES(nio::onDispatcher);
    void tick() NIO_REQUIRES(nio::onDispatcher);
    void rearm() NIO_REQUIRES(nio::onDispatcher);

    Account& account_;
    Shard& home_;
    KeptLimits limits_;
    DeskBinds binds_;
    bool pumping_ = false;
    Items items_;
    std::deque<std::uint64_t> ready_;                     // in the order of their arrival
    std::deque<std::uint64_t> kept_;                      // likewise
    ReceiptJoin join_;                                    // of what is not queued yet
    ReceiptOrder order_;                                  // of what is queued, or on its way
    std::multimap<nio::TimePoint, std::uint64_t> later_;  // to be repeated
    nio::TimePoint hurriesAgainAt_{};                     // not sooner, for a new bind
    // What is not kept, but for alerts: to be kept if still here then. And some that have gone.
    std::deque<std::pair<nio::TimePoint, std::uint64_t>> owed_;
    // What the last pulls have shown, by their Pulled::since.
    std::map<std::uint64_t, std::vector<std::uint64_t>> pulled_;
    std::size_t bytes_ = 0;  // of all items
    std::optional<nio::Deadline> deadline_;
    nio::TimePoint armed_ = nio::TimePoint::max();
    Figures figures_;
};

}  // namespace router
