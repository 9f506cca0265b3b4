// The part of a connection that others use: threads that send to it (PipelineHandle.h), and the
// connection that it is piped to (Pipe.h). Every Pipeline is a Peer.
//
// What it needs for that is allocated with its first handle or its relay.
//
// Thread: the dispatcher's own.
// Lifetime: see StreamHandler.
#pragma once

#include <exception>
#include <memory>
#include <optional>

#include <nio/connection/PostedOutput.h>
#include <nio/connection/StreamHandler.h>
#include <nio/timers/ReservedDeadline.h>

namespace nio {

class Relay;

class Peer : public StreamHandler {
  public:
    using StreamHandler::StreamHandler;
    ~Peer() override;

    // Take what a handle has posted: an item to send, or only a callback.
    void deliver(PostedItem& item) NIO_REQUIRES(onDispatcher);
    void awaitWritable(PostedItem& item) NIO_REQUIRES(onDispatcher);
    void awaitClosed(PostedItem& item) NIO_REQUIRES(onDispatcher);
    // Posts `item` to the connection of `handle`, where one of these three takes it. On an error
    // (stopped, queueFull) or an exception its result is not told. Thread: any.
    static Result<void> post(ChannelHandle handle, const std::shared_ptr<PostedItem>& item,
                             void (Peer::*take)(PostedItem&));

  protected:
    // Sends the item through all stages.
    virtual void sendPosted(const PostedItem& item) NIO_REQUIRES(onDispatcher) = 0;
    // The same for bytes of the connection that this one is piped to.
    virtual void sendRelayed(ByteView bytes) NIO_REQUIRES(onDispatcher) = 0;
    virtual bool relaysBytes() const = 0;
    // Whether the application has been told of the peer's end of stream, after all of its input.
    virtual bool isFinishTold() const = 0;

    // What handles send through. Throws std::bad_alloc.
    std::shared_ptr<PostedOutput> posted() NIO_REQUIRES(onDispatcher);
    bool hasOutside() const { return outside_ != nullptr; }
    // Requires hasOutside(): the kernel has accepted all output.
    void flushPosted() NIO_REQUIRES(onDispatcher);
    // Calls `send`, which throws if a stage does. If a part of the item was sent by then, the
    // connection ends: the peer would take later output for the rest. Uncopied output counts as
    // sent.
    template <class Send>
    void sendWhole(bool copies, Send&& send) NIO_REQUIRES(onDispatcher) {
        const std::size_t before = pendingBytes();
        try {
            send();
        } catch (...) {
            const bool wasSent = !copies || pendingBytes() != before;
            if (wasSent) end(Error(Errc::handlerFailed, "send"), true);
            throw;
        }
    }
    // Calls `send`; `done` is told in place how the send ended.
    template <class Send>
    void sendAndTell(SendDone done, Send&& send) NIO_REQUIRES(onDispatcher) {
        assertHere("send");
        if (!maySend()) return done(Error(Errc::notRegistered, "send"));
        const std::shared_ptr<PostedOutput> output = posted();
        output->makeRoom();
        send();
        sent(*output, SendResult(std::move(done)));
    }
    // The connection leaves this dispatcher.
    void leavePosted() NIO_REQUIRES(onDispatcher);
    void outputCrossedMark(bool above) NIO_REQUIRES(onDispatcher);
    // The end, before and after the application is told. endPosted() is also called before another
    // handler takes the channel; it returns the exception of a callback.
    std::exception_ptr endPosted(const std::optional<Error>& reason) NIO_REQUIRES(onDispatcher);
    void endRelay(const std::optional<Error>& reason) NIO_REQUIRES(onDispatcher);
    // While it is piped, for the other connection.
    void relayBytes(ByteView bytes) NIO_REQUIRES(onDispatcher);
    void relayFinish() NIO_REQUIRES(onDispatcher);

  private:
    friend class Relay;

    struct Outside {
        std::shared_ptr<PostedOutput> posted{};
        std::shared_ptr<Relay> relay{};
        std::optional<ReservedDeadline> nextLook{};  // for awaitWritable()
    };

    Outside& outside();
    void sent(PostedOutput& output, SendResult&& result) NIO_REQUIRES(onDispatcher);
    void tellWritable() NIO_REQUIRES(onDispatcher);
    // The first allocates everything; the second needs no memory.
    void prepareRelay(std::shared_ptr<Relay> relay) NIO_REQUIRES(onDispatcher);
    void beginRelay(bool pause) NIO_REQUIRES(onDispatcher);

    // A pointer: connections that need neither pay for no more.
    std::unique_ptr<Outside> outside_;
};

}  // namespace nio
