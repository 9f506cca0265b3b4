// What a stage of a pipeline may do with its connection: the first argument of its functions.
//
// A stage may keep a copy, for a timer of its own, say: it is valid as long as the stage is.
//
// Thread: the dispatcher's own.
#pragma once

#include <utility>

#include <nio/connection/StreamEncoding.h>
#include <nio/connection/StreamHandler.h>

namespace nio {

namespace pipelines {
template <class>
class BackEnd;
}

template <class Pipeline, std::size_t At>
class StageContext {
  public:
    explicit StageContext(Pipeline& pipeline) : pipeline_(&pipeline) {}

    // Gives this to the next stage towards the application. If reading is paused, it is copied and
    // kept until reading resumes.
    template <class Item>
    void read(Item&& item) NIO_REQUIRES(onDispatcher) {
        pipeline_->template arrive<At + 1>(std::forward<Item>(item));
    }
    // For a read() that takes a part: announces what it will return, before it gives anything on.
    // If the connection ends in what it calls, these bytes then count as taken.
    void taken(std::size_t bytes) { std::get<At>(pipeline_->kept_).taken(bytes); }
    // Gives this to the next stage towards the socket. Allowed inside read(), to answer.
    template <class Item>
    void write(Item&& item) NIO_REQUIRES(onDispatcher) {
        pipeline_->template depart<At>(std::forward<Item>(item));
    }

    // Ends the connection with this error once earlier output has been sent; unread input is
    // dropped.
    // `lostBytes`: output that the stage held and drops; the error is then reported even if the
    // connection is closing.
    void fail(Error reason, std::size_t lostBytes = 0) NIO_REQUIRES(onDispatcher) {
        StreamEncoding(*pipeline_).fail(std::move(reason), lostBytes);
    }
    void close() NIO_REQUIRES(onDispatcher) { pipeline_->closeAfterFlush(); }
    // Each stage and the application pause for themselves: reading resumes when the last one does.
    void pauseReading() NIO_REQUIRES(onDispatcher) { pipeline_->pauseStage(At, true); }
    void resumeReading() NIO_REQUIRES(onDispatcher) { pipeline_->pauseStage(At, false); }

    // For a stage that encodes (Stage.h). From now on its flush() and what belongs to it are
    // called.
    void startEncoding() NIO_REQUIRES(onDispatcher) { StreamEncoding(*pipeline_).start(); }
    // The stage has decoded the peer's end of stream. The stages behind it are told as of a FIN,
    // after kept input; the network is not read any more.
    void peerFinished() NIO_REQUIRES(onDispatcher) { pipeline_->template endAt<At + 1>(); }

    // For everything else about the connection: its dispatcher, options, addresses.
    StreamHandler& connection() const { return *pipeline_; }

  private:
    template <class>
    friend class pipelines::BackEnd;

    Pipeline* pipeline_;
};

}  // namespace nio
