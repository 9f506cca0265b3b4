// The key of one registered channel with what the dispatcher adds: the handler that it owns, and
// its place in the registry.
//
// Thread: the dispatcher's own.
#pragma once

#include <cstdint>
#include <memory>

#include <nio/base/Prefetch.h>
#include <nio/loop/SelectorHandlers.h>
#include <nio/observe/FlightRecorder.h>
#include <nio/selector/SelectionKey.h>

namespace nio {

class Registration final : public SelectionKey {
  public:
    enum class Kind : std::uint8_t { accept, connect, readWrite };

    // A handler and the interface by which it is served.
    struct Served {
        Kind kind;
        SelectorHandler* handler;

        static Served by(AcceptSelectorHandler& handler) { return {Kind::accept, &handler}; }
        static Served by(ConnectSelectorHandler& handler) { return {Kind::connect, &handler}; }
        static Served by(ReadWriteSelectorHandler& handler) { return {Kind::readWrite, &handler}; }
        Interest servable() const;
    };

    Registration(const Context& context, Served by, Interest interest)
        : SelectionKey(context, by.handler->channel(), interest),
          kind_(by.kind),
          handler_(by.handler) {}
    ~Registration() override {
        if (ownsHandler) delete handler_;
    }

    void channelClosing() override NIO_REQUIRES(onDispatcher);
    void channelHoldsInput() override NIO_REQUIRES(onDispatcher);

    Kind kind() const { return kind_; }
    Served served() const { return {kind_, handler_}; }
    SelectorHandler& handler() const { return *handler_; }
    // For the recorder. Not inline: a program may include this header without RTTI.
    FlightRecorder::Callee callee() const;
    // Prefetches the part of a connection's handler that each event uses.
    void prefetchHandler() const {
        constexpr std::size_t looksAt = 136;
        prefetch(handler_, looksAt);
    }
    // Only the one that matches kind() is valid.
    AcceptSelectorHandler& acceptHandler() const {
        return static_cast<AcceptSelectorHandler&>(*handler_);
    }
    ConnectSelectorHandler& connectHandler() const {
        return static_cast<ConnectSelectorHandler&>(*handler_);
    }
    ReadWriteSelectorHandler& readWriteHandler() const {
        return static_cast<ReadWriteSelectorHandler&>(*handler_);
    }
    // Calls a ReadWriteSelectorHandler for all but reading. `begins(name)` precedes each callback.
    void callRest(Interest ready, const auto& begins) NIO_REQUIRES(onDispatcher) {
        const SelectorHandler* const called = handler_;
        if (any(ready & Interest::exceptional)) {
            begins("handleExceptional");
            readWriteHandler().handleExceptional();
            const bool stillServes = isValid() && handler_ == called;
            if (!stillServes || !any(ready - Interest::exceptional)) return;
        }
        begins("handleWrite");
        readWriteHandler().handleWrite();
    }
    // Replaces the handler; the previous one belongs to the caller again.
    void serve(Served by) {
        handler_ = by.handler;
        kind_ = by.kind;
    }

    std::uint32_t slot = 0;
    bool flushQueued = false;
    bool revisitQueued = false;
    bool ownsHandler : 1 = false;  // once the registration has succeeded
    bool aborted : 1 = false;
    bool travels : 1 = false;  // known to ChannelMoves: a guest, or about to leave

  private:
    Kind kind_;
    SelectorHandler* handler_;

  public:
    Registration* nextGrave = nullptr;
};

}  // namespace nio
