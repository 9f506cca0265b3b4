// A connection as others know it: threads that send to it (PipelineHandle.h), and the connection
// that it is piped to (Pipe.h). Every Pipeline is one, whatever its stages are.
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

    // What a handle has queued: an item to be sent, or only whom to tell.
    void deliver(PostedItem& item) NIO_REQUIRES(onDispatcher);
    void awaitWritable(PostedItem& item) NIO_REQUIRES(onDispatcher);
    void awaitClosed(PostedItem& item) NIO_REQUIRES(onDispatcher);
    // Queues it for the connection of `handle`, with one of these three. Errors: stopped,
    // queueFull; `item` then tells nothing, nor if this throws. Thread: any.
    static Result<void> post(ChannelHandle handle, const std::shared_ptr<PostedItem>& item,
                             void (Peer::*take)(PostedItem&));

  protected:
    // Sends the item through all stages.
    virtual void sendPosted(const PostedItem& item) NIO_REQUIRES(onDispatcher) = 0;
    // The same for bytes of the connection that this one is piped to.
    virtual void sendRelayed(ByteView bytes) NIO_REQUIRES(onDispatcher) = 0;
    virtual bool relaysBytes() const = 0;
    // Whether the application has been told so: all that the peer sent has gone before.
    virtual bool isFinishTold() const = 0;

    // What handles send by. Throws std::bad_alloc.
    std::shared_ptr<PostedOutput> posted() NIO_REQUIRES(onDispatcher);
    bool hasOutside() const { return outside_ != nullptr; }
    // With that: the kernel has accepted all output.
    void flushPosted() NIO_REQUIRES(onDispatcher);
    // Sends by `send`, which throws if a stage does: with a part of an item sent the connection
    // ends then, for the peer would take what follows for the rest. Of what was not copied the
    // kernel may have a part.
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
    // Sends by `send`, and tells `done` in place how that ended.
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
    // The end, before and after the application is told. The first comes also before another
    // handler takes the channel, and returns what was thrown in it.
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
        std::optional<ReservedDeadline> nextLook{};  // whether there is room again
    };

    Outside& outside();
    void sent(PostedOutput& output, SendResult&& result) NIO_REQUIRES(onDispatcher);
    void tellWritable() NIO_REQUIRES(onDispatcher);
    // All that needs memory, and then the rest.
    void prepareRelay(std::shared_ptr<Relay> relay) NIO_REQUIRES(onDispatcher);
    void beginRelay(bool pause) NIO_REQUIRES(onDispatcher);

    // A pointer: connections that need neither pay for no more.
    std::unique_ptr<Outside> outside_;
};

}  // namespace nio
