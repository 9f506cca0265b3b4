// One connection of a misbehaviour: sends from the script, and counts how the connection ends. The
// derived classes, in Misbehaviours.cpp, say how it misbehaves.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: that of its handler; the worker lives longer.
#pragma once

#include <cstdint>
#include <memory>

#include <nio/connection/StreamHandler.h>

namespace load {

class MisbehaviourPlan;
class MisbehaviourWorker;
struct MisbehaviourFigures;

class BadConnection : public nio::StreamHandler {
  public:
    // What ended it. The first one counts.
    enum class Fate { keptToTheEnd, closedByServer, resetByServer, failed, meantSo };

    // Of the kind that the worker's plan names.
    static std::unique_ptr<BadConnection> make(nio::SocketChannel channel,
                                               MisbehaviourWorker& worker, std::size_t number);

    BadConnection(nio::SocketChannel channel, MisbehaviourWorker& worker, std::size_t number);

    // The time is over.
    void finish() NIO_REQUIRES(nio::onDispatcher);
    // Found out without reading: the server's FIN, after which it goes on, or its RST.
    void serverFinished() NIO_REQUIRES(nio::onDispatcher) { met(Fate::closedByServer); }
    void serverGone(std::optional<nio::Error> reason) NIO_REQUIRES(nio::onDispatcher);
    // Brings the figures up to date.
    void countSent();

    // Where the worker keeps it.
    std::size_t place = 0;

  protected:
    virtual void begin() NIO_REQUIRES(nio::onDispatcher) = 0;
    // The kernel has taken all that was sent.
    virtual void taken() NIO_REQUIRES(nio::onDispatcher) {}
    virtual void heard(nio::ByteView) NIO_REQUIRES(nio::onDispatcher) {}
    // Ends the connection as this kind of client does.
    virtual void leave() NIO_REQUIRES(nio::onDispatcher) = 0;

    // Sends at most this many bytes of the script, and none beyond its end.
    void sendNext(std::size_t most) NIO_REQUIRES(nio::onDispatcher);
    // The next byte to be sent, in the script.
    std::uint64_t position() const { return position_; }
    void startAt(std::uint64_t position) { position_ = position; }
    // Resets the connection for a reason of ours.
    void fail(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);
    void met(Fate fate) NIO_REQUIRES(nio::onDispatcher);
    bool isFateKnown() const { return fateKnown_; }

    std::size_t number() const { return number_; }
    const MisbehaviourPlan& plan() const;
    MisbehaviourFigures& figures();

    // Never buffers more than this.
    static constexpr std::size_t piece = 64 * 1024;

  private:
    void connectionOpened() final NIO_REQUIRES(nio::onDispatcher);
    void bytesArrived(nio::ByteView bytes) final NIO_REQUIRES(nio::onDispatcher);
    void peerFinished() final NIO_REQUIRES(nio::onDispatcher);
    void outputFlushed() final NIO_REQUIRES(nio::onDispatcher);
    void connectionClosed(const std::optional<nio::Error>& reason) final
        NIO_REQUIRES(nio::onDispatcher);
    void endedBy(const nio::Error& reason) NIO_REQUIRES(nio::onDispatcher);

    MisbehaviourWorker& worker_;
    const std::size_t number_;
    nio::TimePoint opened_{};
    std::uint64_t position_ = 0;
    std::size_t uncounted_ = 0;  // sent, and not among the figures yet
    bool finished_ = false;      // by us
    bool fateKnown_ = false;
    bool noMore_ = false;  // the server's FIN was read: nothing is sent behind that
};

}  // namespace load
