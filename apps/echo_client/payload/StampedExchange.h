// An exchange of stamped messages: whatever comes back, each message is told from every other.
//
// An answer is right if it is whole, its CRC fits and it is a message of this connection; it need
// not be the next one. Those it has overtaken may still come (reordered); those that have not by
// the time they expire, or at the end, are lost. What was answered comes again: duplicated, as does
// a lost one that comes after all.
//
// Anything else is corrupted, and takes the place of the message that was expected, which nobody
// waits for any longer. Should it come after all, it counts as answered.
//
// A stream has no other boundaries than the stamps. Where one should be and is none that can be
// right, and where a message is damaged, the next is looked for byte by byte; for each further
// message that must have gone by meanwhile, one more has been corrupted: as soon as there are bytes
// enough for it, although the last of them, too few for a stamp, may begin the next one (where
// bytes were lost or added on the way), and that counts, too. The exchange gives up when it has
// thrown away 1 MiB and the largest message and found none.
//
// Memory: what is outstanding, overdue or overtaken, and one incomplete message. Overtaken ones are
// limited to some thousand more than have ever been under way: the oldest count as lost then.
//
// Thread: one at a time. Lifetime: what it is given by reference lives longer.
#pragma once

#include "echo_client/payload/Exchange.h"
#include "echo_client/payload/InFlight.h"
#include "echo_client/payload/MessageMaker.h"
#include "echo_client/payload/Stragglers.h"
#include "echo_client/payload/StreamTail.h"
#include "echo_client/plan/SizeDistribution.h"

namespace load {

class StampedExchange final : public Exchange {
  public:
    // No size is below that of a stamp. `scratch` has room for the largest message; it holds the
    // one last asked, until somebody else uses it.
    StampedExchange(const MessageMaker& maker, const SizeDistribution& sizes, Random random,
                    Tally& tally, nio::Bytes& scratch);

    nio::ByteView ask(nio::TimePoint planned, nio::TimePoint sent) override;
    bool answer(nio::ByteView bytes, nio::TimePoint now) override;
    bool answerPacket(nio::ByteView packet, nio::TimePoint now) override;
    void expire(nio::TimePoint limit) override;
    void end(bool broken) override;

  private:
    // A stream.
    StreamTail::Progress take(nio::ByteView bytes, nio::TimePoint now);
    std::size_t takeMessage(const Stamp& stamp, nio::ByteView message, nio::TimePoint now);
    std::size_t loseTrack(nio::ByteView bytes);
    std::size_t search(nio::ByteView bytes);
    void countGoneBy(std::size_t bytes);
    std::size_t lengthOf(const Stamp& stamp, nio::ByteView bytes) const;
    std::size_t knownLength(std::uint64_t sequence) const;

    // Messages.
    void arrived(const Stamp& stamp, nio::ByteView message, nio::TimePoint now);
    void arrivedInTurn(nio::TimePoint now);
    void arrivedLate(std::uint64_t sequence, nio::ByteView message, nio::TimePoint now);
    void overtakeUntil(std::uint64_t sequence);
    void corrupted(nio::ByteView got, const std::string& what = {});
    void corruptedPacket(nio::ByteView packet);
    void givenUp(const Straggler& straggler);
    void leaveTurn(bool overtaken);
    void keep(std::uint64_t sequence, nio::ByteView got, const char* what);

    const MessageMaker maker_;
    const SizeDistribution& sizes_;
    Tally& tally_;
    nio::Bytes& scratch_;
    Random random_;
    InFlight inFlight_;
    Stragglers stragglers_;

    StreamTail tail_;
    bool searching_ = false;
    bool useless_ = false;
    // While searching, in bytes since the first damaged message began:
    std::size_t thrownAway_ = 0;
    std::size_t goneBy_ = 0;  // so many belong to messages that count as corrupted
};

}  // namespace load
