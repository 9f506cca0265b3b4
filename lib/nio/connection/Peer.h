// A connection as others know it: threads that send to it (PipelineHandle.h), and the connection
// that it is piped to (Pipe.h). Every Pipeline is one, whatever its stages are.
//
// What it needs for that is allocated with its first handle or its relay.
//
// Thread: the dispatcher's own.
// Lifetime: see StreamHandler.
#pragma once

#include <memory>
#include <optional>

#include <nio/connection/PostedOutput.h>
#include <nio/connection/StreamHandler.h>

namespace nio {

class Relay;

class Peer : public StreamHandler {
  public:
    using StreamHandler::StreamHandler;
    ~Peer() override;

    // Sends what a handle has queued, and remembers whom to tell.
    void deliver(PostedItem& item) NIO_REQUIRES(onDispatcher);

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
    void outputCrossedMark(bool above) NIO_REQUIRES(onDispatcher);
    // The end, before and after the application is told. The first comes also before another
    // handler takes the channel.
    void endPosted(const std::optional<Error>& reason) NIO_REQUIRES(onDispatcher);
    void endRelay(const std::optional<Error>& reason) NIO_REQUIRES(onDispatcher);
    // While it is piped, for the other connection.
    void relayBytes(ByteView bytes) NIO_REQUIRES(onDispatcher);
    void relayFinish() NIO_REQUIRES(onDispatcher);

  private:
    friend class Relay;

    struct Outside {
        std::shared_ptr<PostedOutput> posted{};
        std::shared_ptr<Relay> relay{};
    };

    Outside& outside();
    // All that needs memory, and then the rest.
    void prepareRelay(std::shared_ptr<Relay> relay) NIO_REQUIRES(onDispatcher);
    void beginRelay(bool pause) NIO_REQUIRES(onDispatcher);

    // A pointer: connections that need neither pay for no more.
    std::unique_ptr<Outside> outside_;
};

}  // namespace nio
