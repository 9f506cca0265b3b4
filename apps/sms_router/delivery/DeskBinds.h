// The binds of an account, as its desk sees them: which of them receive, what each has in its
// window, and which one the next delivery goes to.
//
// They take turns, but for deliveries that come together: those share a send. One that has not
// answered the last time gets nothing while another one answers, but for one delivery at a time of
// its own, by which it can show that it is back.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <nio/loop/ChannelHandle.h>
#include <nio/sys/Clock.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/Ingress.h"

namespace router {

class DeskBinds {
  public:
    using Numbers = std::deque<std::uint64_t>;  // of deliveries, in ascending order

    void useLimits(std::size_t most, std::size_t window) {
        most_ = most;
        window_ = window;
    }

    // False: there are as many as there may be. Those that unbind are not counted, up to as many:
    // an unbind waits for answers of SMSCs. `receives` is null: it does not.
    bool admit(nio::ChannelHandle link, Ingress* receives);
    // It can be sent to from now on. True: it receives.
    bool bound(nio::ChannelHandle link);
    // It may still acknowledge what it has, and is sent nothing more.
    void unbinds(nio::ChannelHandle link);
    // What it had; absent: there is no such bind.
    std::optional<Numbers> remove(nio::ChannelHandle link);

    bool haveReceiver() const;
    bool haveAnswering() const;
    bool haveRoom() const;

    struct Taken {
        nio::ChannelHandle link;
        Ingress* ingress = nullptr;
    };
    // The next one with room, or the last one while output waits there, with `number` in its
    // window. Absent: none has room.
    std::optional<Taken> take(std::uint64_t number);
    // `number` leaves its window.
    void leaveWindow(nio::ChannelHandle link, std::uint64_t number);
    // It has ended, though it stays in the window until the bind answers.
    void forget(nio::ChannelHandle link, std::uint64_t number);
    void answered(nio::ChannelHandle link);
    void didNotAnswer(nio::ChannelHandle link, nio::TimePoint askAgainAt);

  private:
    struct Bind {
        nio::ChannelHandle link;
        Ingress* ingress = nullptr;
        bool bound = false;
        bool unbinds = false;
        bool answers = true;  // it did the last time
        std::size_t inFlight = 0;
        nio::TimePoint askAgainAt{};  // if it does not
        Numbers has{};                // that have not ended
        bool isReceiving() const { return bound && ingress != nullptr; }
        void add(std::uint64_t number);
        void forget(std::uint64_t number);
        bool hasRoom(std::size_t window) const { return isReceiving() && inFlight < window; }
    };

    Bind* find(nio::ChannelHandle link);
    Bind* last();
    Bind* next();
    bool isWorthTrying(const Bind& bind) const;

    std::vector<Bind> binds_;
    std::size_t most_ = AccountConfig().maxBinds;
    std::size_t window_ = AccountConfig().deliverWindow;  // of each
    std::size_t turn_ = 0;
};

}  // namespace router
