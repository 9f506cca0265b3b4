// The two ends of a Crossing. A pipeline with nio::on() is two: the first has a FrontEnd for its
// application, the second a BackEnd for its first stage.
//
// FrontEnd makes the second pipeline with its own connection, and registers it with the other
// dispatcher when that has opened. BackEnd is an encoding stage (Stage.h): what it holds until the
// kernel has accepted it is the pending output of its connection, with all that follows from that.
//
// Thread: each that of its half; copies any.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <nio/base/Guarded.h>
#include <nio/connection/StreamEncoding.h>
#include <nio/connection/StreamHandler.h>
#include <nio/loop/SelectorThread.h>
#include <nio/pipeline/Context.h>
#include <nio/pipeline/CrossingOf.h>
#include <nio/pipeline/On.h>
#include <nio/pipeline/Stage.h>

namespace nio::pipelines {

template <class Item>
Owned<Item> ownedOf(auto&& item) {
    if constexpr (isBytes<Item>) {
        return copyOf(item);
    } else {
        return std::forward<decltype(item)>(item);
    }
}

// An exception in a task about a connection ends the connection, and is reported.
void orFail(auto& connection, auto&& task) NIO_REQUIRES(onDispatcher) {
    guarded(task, [&](const std::exception_ptr& thrown) {
        onDispatcher.assumeCurrent();
        connection.handleFailure(thrown);
        std::rethrow_exception(thrown);
    });
}

template <class Ends>
class BackEnd {
  public:
    using In = ByteStream;
    using Out = typename Ends::Arriving;
    using OutboundIn = typename Ends::Sending;
    using OutboundOut = ByteStream;
    using CrossingFront = Ends;
    using Items = CrossingOf<Owned<Out>, Owned<OutboundIn>>;

    BackEnd() = default;
    BackEnd(const BackEnd&) {}
    BackEnd& operator=(const BackEnd&) = delete;
    ~BackEnd() {
        // It was not opened, or there was no memory to tell why.
        if (crossing_ != nullptr) end(Error(Errc::notRegistered));
    }

    void cross(std::shared_ptr<Items> crossing) { crossing_ = std::move(crossing); }
    Result<SocketAddress> peerAddress() const { return crossing_->peerAddress(); }

    void opened(auto& context) NIO_REQUIRES(onDispatcher) {
        context.startEncoding();
        using Context = std::remove_reference_t<decltype(context)>;
        using Connection = std::remove_pointer_t<decltype(context.pipeline_)>;
        const auto visit = [](void* pipeline) {
            onDispatcher.assertCurrent();
            auto& connection = *static_cast<Connection*>(pipeline);
            orFail(connection, [&] {
                onDispatcher.assumeCurrent();
                Context inside(connection);
                connection.template stage<BackEnd>().takeIn(inside);
            });
        };
        crossing_->attach(Crossing::Half::back, context.connection().dispatcher(),
                          context.pipeline_, visit);
        crossing_->wake(Crossing::Half::back);
    }
    // There is no socket.
    void read(auto&, ByteView) {}
    void write(auto&, const Carried<OutboundIn>& item) { batch_.add(ownedOf<OutboundIn>(item)); }
    // After each callback.
    void flush(auto& context) NIO_REQUIRES(onDispatcher) {
        StreamHandler& connection = context.connection();
        const StreamEncoding state(connection);
        bool hasNews = !batch_.isEmpty();
        // Stages behind this one may hold output; the end comes after that.
        const bool ends = connection.pendingBytes() == pendingBytes();
        if (hasNews) crossing_->pushOut(batch_);
        if (ends && state.isFinishing()) hasNews |= crossing_->endOutput(false, nullptr);
        if (ends && state.isClosing()) {
            hasNews |= crossing_->endOutput(true, state.failureReason());
        }
        const bool makesRoom =
            crossing_->settled(std::exchange(processed_, 0), state.heldInput(), state.isBusy());
        if (hasNews || makesRoom) crossing_->wake(Crossing::Half::front);
    }
    std::size_t pendingBytes() const { return batch_.bytes() + crossing_->pendingOutput(); }
    void failed(auto&, const Error& error) { reason_ = error; }
    void closed(auto&) { end(std::move(reason_)); }

  private:
    // Only the first call counts.
    void end(std::optional<Error> reason) {
        crossing_->detach(Crossing::Half::back);
        crossing_->backEnded(std::move(reason));
        crossing_->wake(Crossing::Half::front);
    }
    void takeIn(auto& context) NIO_REQUIRES(onDispatcher) {
        StreamHandler& connection = context.connection();
        // What it has processed is told when it is flushed.
        connection.dispatcher().flushLater(connection.channel());
        const bool isRest = !arrived_.isEmpty();
        if (!isRest) told_ = crossing_->takeIn(arrived_);
        std::size_t left = connection.options().maxPacketsPerTurn;
        for (; left > 0 && !arrived_.isEmpty(); --left) {
            Owned<Out> item = arrived_.takeFirst();
            const std::size_t bytes = arrived_.sizeOf(item);
            processed_ += bytes;
            StreamEncoding(connection).noteInput(bytes);
            context.read(Carried<Out>(std::move(item)));
            if (!connection.channel().isOpen()) return;
        }
        // Items that arrived meanwhile caused no visit, since this one was pending.
        if (isRest || !arrived_.isEmpty()) return crossing_->wake(Crossing::Half::back);
        if (told_.finished && !std::exchange(finished_, true)) context.peerFinished();
        if (told_.closed) StreamEncoding(connection).abort(std::move(told_.reason));
    }

    std::shared_ptr<Items> crossing_;
    CrossedItems<Owned<OutboundIn>> batch_;
    CrossedItems<Owned<Out>> arrived_;
    Crossing::FromFront told_;
    std::size_t processed_ = 0;
    bool finished_ = false;
    std::optional<Error> reason_;
};

// `Factory`: the PipelineFactory of the second pipeline.
template <class Ends, class Factory>
class FrontEnd {
  public:
    using Arriving = typename Ends::Arriving;
    using Sending = typename Ends::Sending;
    using CrossingBack = typename Factory::Made;
    using Items = typename BackEnd<Ends>::Items;

    FrontEnd(On on, const Factory& factory) : on_(on) { use(factory, {}); }
    FrontEnd(const FrontEnd& other) : on_(other.on_), factory_(other.factory_) {}
    FrontEnd& operator=(const FrontEnd&) = delete;
    ~FrontEnd() {
        // Else another handler has the channel, and closed() did not come.
        if (hasOpened_) endBack(Error(Errc::notRegistered));
    }

    // Of the factory: the same limits for both halves.
    void useOptions(const StreamOptions& options) { use(*factory_, options); }
    // Of a connection: its other half, which is destroyed here if this never opens.
    void prepare(auto& peer) {
        crossing_ = std::make_shared<Items>(peer.options().crossingHighMark);
        back_ = (*factory_)(SocketChannel::withoutSocket(peer.channel().isOutgoing()));
        back_->template stage<BackEnd<Ends>>().cross(crossing_);
    }
    // What arrives in between is sent across together.
    void beginBurst() { isBurst_ = true; }
    void endBurst(auto& peer) NIO_REQUIRES(onDispatcher) {
        isBurst_ = false;
        cross(peer);
        tellClosing(peer);
    }
    bool isBusyElsewhere() const { return crossing_->isBackBusy(); }

    void opened(auto& peer) NIO_REQUIRES(onDispatcher) {
        hasOpened_ = true;
        crossing_->open(peer.dispatcher().memory().budget(), peer.peerAddress());
        attach(peer);
        // The back wakes the front when it is destroyed.
        auto refused = [crossing = crossing_](const Error& error) { crossing->backEnded(error); };
        SelectorThread& thread = on_.next();
        const Result<void> posted =
            thread.registerChannelLater(std::move(back_), Interest::none, std::move(refused));
        if (!posted) StreamEncoding(peer).abort(Error(posted.error().code(), "nio::on"));
    }
    void read(auto& peer, Carried<Arriving> item) NIO_REQUIRES(onDispatcher) {
        batch_.add(ownedOf<Arriving>(std::move(item)));
        if (!isBurst_) cross(peer);
    }
    void flushed(auto& peer) NIO_REQUIRES(onDispatcher) {
        tellPending(peer);
        tellClosing(peer);
    }
    void aboveMark(auto& peer) NIO_REQUIRES(onDispatcher) { tellPending(peer); }
    void belowMark(auto& peer) NIO_REQUIRES(onDispatcher) { tellPending(peer); }
    void peerFinished(auto& peer) NIO_REQUIRES(onDispatcher) {
        cross(peer);
        crossing_->finish();
        crossing_->wake(Crossing::Half::back);
    }
    void failed(auto&, const Error& error) { reason_ = error; }
    void closed(auto& peer) NIO_REQUIRES(onDispatcher) {
        tellPending(peer);
        const auto push = [this] { crossing_->pushIn(batch_); };
        guarded(push, [this](const std::exception_ptr& thrown) { reason_ = errorOf(thrown); });
        endBack(std::move(reason_));
    }
    void leaving(auto&) { crossing_->detach(Crossing::Half::front); }
    void arrived(auto& peer) NIO_REQUIRES(onDispatcher) {
        attach(peer);
        crossing_->wake(Crossing::Half::front);
    }

  private:
    // The back half gets no timeouts of its own: those of the front half end both.
    void use(const Factory& factory, StreamOptions options) {
        options.movable = false;
        options.idleTimeout = {};
        options.lingerTimeout = options.lingerLimit = std::chrono::milliseconds::max();
        factory_ = std::make_shared<const Factory>(factory.with(options));
    }
    template <class Peer>
    void attach(Peer& peer) NIO_REQUIRES(onDispatcher) {
        crossing_->attach(Crossing::Half::front, peer.dispatcher(), &peer, [](void* pipeline) {
            onDispatcher.assertCurrent();
            Peer& connection = *static_cast<Peer*>(pipeline);
            orFail(connection, [&] {
                onDispatcher.assumeCurrent();
                connection.application().takeOut(connection);
            });
        });
    }
    void cross(auto& peer) NIO_REQUIRES(onDispatcher) {
        if (batch_.isEmpty()) return;
        crossing_->pushIn(batch_);
        if (crossing_->mustWait()) pauseReading(peer, true);
        crossing_->wake(Crossing::Half::back);
    }
    // Pauses as a stage does, so that a pauseReading() of others stays.
    template <class Peer>
    void pauseReading(Peer& peer, bool pauses) NIO_REQUIRES(onDispatcher) {
        isPaused_ = pauses;
        StageContext<Peer, Peer::count> stage(peer);
        pauses ? stage.pauseReading() : stage.resumeReading();
    }
    void takeOut(auto& peer) NIO_REQUIRES(onDispatcher) {
        Crossing::FromBack told = crossing_->takeOut(departing_);
        if (told.aborts) return StreamEncoding(peer).abort(std::move(told.reason));
        const std::size_t bytes = departing_.bytes();
        while (!departing_.isEmpty() && peer.maySend()) {
            peer.send(Carried<Sending>(departing_.takeFirst()));
        }
        // What is dropped never counts as taken: the back is told that it is lost.
        if (!peer.channel().isOpen()) return departing_.clear();
        const bool hasFailed = bytes > 0 && StreamEncoding(peer).failureReason() != nullptr;
        if (hasFailed || !departing_.isEmpty()) {
            departing_.clear();
            return refuse(peer, Error(Errc::notRegistered, "nio::on"));
        }
        tellPending(peer);
        // Nothing of it waits for the kernel: no other event tells the back.
        if (crossing_->tookOut(bytes) == 0) crossing_->wake(Crossing::Half::back);
        if (told.finishes) peer.shutdownWrite();
        closesForBack_ |= told.closes;
        if (told.closes && told.reason) peer.failAfterFlush(std::move(*told.reason));
        if (told.closes) peer.closeAfterFlush();
        if (isPaused_ && !crossing_->isWaiting()) pauseReading(peer, false);
    }
    // It closes by itself: nothing that the back sends arrives any more.
    void tellClosing(auto& peer) NIO_REQUIRES(onDispatcher) {
        const bool closes = StreamEncoding(peer).isClosing() && peer.channel().isOpen();
        if (closes && !closesForBack_ && peer.pendingBytes() == 0) refuse(peer, {});
    }
    void refuse(auto& peer, std::optional<Error> reason) NIO_REQUIRES(onDispatcher) {
        if (const Error* own = StreamEncoding(peer).failureReason()) reason = *own;
        crossing_->close(std::move(reason));
        crossing_->wake(Crossing::Half::back);
    }
    // Only the first call counts.
    void endBack(std::optional<Error> reason) noexcept {
        crossing_->detach(Crossing::Half::front);
        crossing_->close(std::move(reason));
        crossing_->wake(Crossing::Half::back);
    }
    void tellPending(auto& peer) NIO_REQUIRES(onDispatcher) {
        if (crossing_->setFrontPending(peer.pendingBytes())) {
            crossing_->wake(Crossing::Half::back);
        }
    }

    On on_;
    std::shared_ptr<const Factory> factory_;
    std::shared_ptr<Items> crossing_;
    std::unique_ptr<CrossingBack> back_;  // until it is registered
    CrossedItems<Owned<Arriving>> batch_;
    CrossedItems<Owned<Sending>> departing_;
    bool isBurst_ = false;
    bool closesForBack_ = false;
    bool isPaused_ = false;
    bool hasOpened_ = false;
    std::optional<Error> reason_;
};

}  // namespace nio::pipelines
