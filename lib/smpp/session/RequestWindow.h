// Our outstanding requests: at most as many as the window has places. It numbers them, and reports
// each exactly once to SessionEvents: answered, or lost.
//
// It remembers the last requests that timed out, for their late answers.
//
// Thread: one at a time.
// Source: SMPP 3.4, 2.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <smpp/pdu/Pdu.h>
#include <smpp/session/PendingRequests.h>
#include <smpp/session/SequenceNumbers.h>
#include <smpp/session/SessionClock.h>
#include <smpp/session/SessionEvents.h>

namespace smpp {

// What is wrong with `answer` as the answer to `request`; ok if nothing.
Status faultOf(const Scanned& answer, Command request);

class RequestWindow {
  public:
    RequestWindow(std::size_t places, std::uint32_t firstSequence,
                  Reading reading = Reading::strict)
        : places_(places), sequences_(firstSequence), reading_(reading) {}

    std::size_t size() const { return pending_.size(); }
    bool empty() const { return pending_.empty(); }
    bool isFull() const { return size() >= places_; }
    // Number of answers to no outstanding request.
    std::uint32_t strays() const { return strays_; }

    // The next number that is neither outstanding nor one of these two.
    std::uint32_t nextSequence(std::uint32_t used, std::uint32_t usedToo) {
        return sequences_.next([&](std::uint32_t number) {
            return number == used || number == usedToo || pending_.contains(number);
        });
    }
    // Requires !isFull().
    void add(const PendingRequest& request) { pending_.add(request); }
    // False if no request waits for this answer.
    bool answered(const Scanned& answer, SessionEvents& events);
    // An answer that no request waits for.
    void strayArrived(const Scanned& answer, SessionEvents& events);

    // When the next request times out; SessionClock::never: none does.
    Time nextDue() const;
    // No request times out before this.
    void postpone(Time due) { pending_.postponeAll(due); }
    void loseLate(Time now, SessionEvents& events);
    void loseAll(SessionEvents& events);

  private:
    void remember(const PendingRequest& late);
    std::optional<nio::Bytes> asItsAnswer(const Scanned& answer, Command request) const;

    std::size_t places_;
    PendingRequests pending_;
    PendingRequests late_;
    SequenceNumbers sequences_;
    Reading reading_;
    std::uint32_t strays_ = 0;
};

}  // namespace smpp
