// The connection that nio::pipeline() makes: PipelineFactory.h says how it is used.
//
// Thread: the dispatcher's own.
// Lifetime: see StreamHandler. `peer` is valid until the end of the turn in which closed() came.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <nio/pipeline/Application.h>
#include <nio/pipeline/Encoding.h>
#include <nio/pipeline/Events.h>
#include <nio/pipeline/Kept.h>
#include <nio/pipeline/PipelineHandle.h>
#include <nio/pipeline/Shape.h>

namespace nio {

template <class... Steps>
class Pipeline final : public Peer {
    using Shape = pipelines::Shape<Pipeline, Steps...>;
    using Encoders = pipelines::Encoders<Pipeline, Steps...>;
    template <std::size_t At>
    using EndsAt = typename Shape::template EndsAt<At>;

  public:
    static constexpr std::size_t count = Shape::count;  // the application is this step
    // What the application receives, and what it sends.
    using Received = typename EndsAt<count>::Arriving;
    using Sent = typename EndsAt<count>::Sending;
    using Application = std::tuple_element_t<count, std::tuple<Steps...>>;
    static constexpr bool applicationFits = Shape::applicationFits;

    Pipeline(SocketChannel channel, std::shared_ptr<const StreamOptions> options,
             const std::tuple<Steps...>& prototype)
        : Peer(std::move(channel), std::move(options)), steps_(prototype) {
        if constexpr (Shape::crosses) application().prepare(*this);
    }

    // Sends through all stages, if not closing. What no framing expresses ends it with that error.
    template <class Item>
    void send(const Item& item) NIO_REQUIRES(onDispatcher) {
        sendItem<true>(item);
    }
    // The same; `done` is called once, in place: when the kernel has accepted the item and all
    // other output, or with the reason if it was dropped (notRegistered: the connection closes, or
    // replaceWith() hands it on). It may send and close. Not called if send() throws.
    template <class Item>
    void send(const Item& item, SendDone done) NIO_REQUIRES(onDispatcher) {
        sendAndTell(std::move(done), [&] { onDispatcher.assumeCurrent(), sendItem<true>(item); });
    }
    // As the first, but if no output is pending, the kernel gets the bytes at once, uncopied: for
    // an application that sends one item per callback. What a write() throws ends the connection.
    template <class Item>
    void sendThrough(const Item& item) NIO_REQUIRES(onDispatcher) {
        sendItem<false>(item);
    }

    // For other threads (PipelineHandle.h); once registered. The first call throws std::bad_alloc.
    using Posted = std::conditional_t<pipelines::isBytes<Sent>, Packet, Sent>;
    PipelineHandle<Pipeline> handle() NIO_REQUIRES(onDispatcher) {
        return {StreamHandler::handle(), posted()};
    }

    // The peer of the socket, also behind nio::on.
    Result<SocketAddress> peerAddress() { return pipelines::peerAddress(channel(), steps_); }

    // Changes the protocol, also inside read(): another pipeline takes the connection over, with
    // the unread input. Earlier output is sent first (its SendDone is told that it is dropped,
    // notRegistered; what that throws is rethrown last). These steps are told nothing more, not
    // even closed(). Errors, without any change: not_connected (ended or closing, also by a
    // SendDone), invalid_argument (piped), operation_not_supported (a stage encodes the stream, or
    // a pause keeps what one has made of it). Throws std::bad_alloc likewise. If the factory
    // throws, or the dispatcher refuses, the connection is lost, and closed() is called.
    template <class Factory>
    Result<ChannelHandle> replaceWith(const Factory& factory) NIO_REQUIRES(onDispatcher) {
        static_assert(!Shape::isBehindOn,
                      "nio::pipeline: replaceWith() is for what stands before nio::on()");
        assertHere("replaceWith");
        if (!mayBeRelayed()) return std::errc::not_connected;
        if (isRelayed()) return std::errc::invalid_argument;
        Bytes rest;
        const bool stays = StreamEncoding(*this).hasStarted();
        if (stays || !Shape::appendRest(kept_, rest)) return std::errc::operation_not_supported;
        channel().putBack(rest);
        pipelines::forget<0>(kept_);
        SelectorThread& thread = dispatcher();
        const std::exception_ptr thrown = endPosted(Error(Errc::notRegistered, "send"));
        Result<ChannelHandle> replaced = std::errc::not_connected;  // a SendDone has closed it
        if (mayBeRelayed()) {
            auto next = factory(std::move(channel()));
            next->keep(takePermit());
            replaced = thread.registerChannelNow(std::move(next), Interest::read);
        }
        if (thrown) std::rethrow_exception(thrown);
        return replaced;
    }

    Application& application() { return std::get<count>(steps_); }
    template <class Stage>
    Stage& stage() {
        return std::get<Stage>(steps_);
    }

  protected:
    void connectionOpened() override NIO_REQUIRES(onDispatcher) {
        openedSteps_ = 0;
        tell([this](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
            ++openedSteps_;
            pipelines::opened(step, context);
        });
    }
    [[gnu::hot]] void bytesArrived(ByteView bytes) override NIO_REQUIRES(onDispatcher) {
        if constexpr (Shape::takesPartsAnywhere()) callsLeft_ = options().maxPacketsPerTurn;
        if constexpr (Shape::crosses) application().beginBurst();
        arrive<0>(bytes);
        if constexpr (Shape::crosses) application().endBurst(*this);
    }
    void inputRevisited() override NIO_REQUIRES(onDispatcher) {
        if (discardsInput()) return pipelines::forget<Encoders::end()>(kept_);
        callsLeft_ = options().maxPacketsPerTurn;
        if constexpr (Shape::crosses) application().beginBurst();
        revisit<count>();
        if constexpr (Shape::crosses) application().endBurst(*this);
        if (finishAt_ <= count) finish(finishAt_);
    }
    void peerFinished() override NIO_REQUIRES(onDispatcher) {
        callsLeft_ = options().maxPacketsPerTurn;
        finish(0);
    }
    void outputFlushed() override NIO_REQUIRES(onDispatcher) {
        if (hasOutside()) [[unlikely]]
            flushPosted();
        tell(pipelines::flushed);
    }
    void outputAboveMark() override NIO_REQUIRES(onDispatcher) {
        outputCrossedMark(true);
        tell(pipelines::aboveMark);
    }
    void outputBelowMark() override NIO_REQUIRES(onDispatcher) {
        outputCrossedMark(false);
        tell(pipelines::belowMark);
    }
    void connectionLeaving() override NIO_REQUIRES(onDispatcher) {
        if (hasOutside()) leavePosted();
        tell(pipelines::leaving);
    }
    void connectionArrived() override NIO_REQUIRES(onDispatcher) { tell(pipelines::arrived); }
    void connectionClosed(const std::optional<Error>& reason) override NIO_REQUIRES(onDispatcher) {
        std::size_t left = openedSteps_;
        pipelines::Ending ending(reason, endPosted(reason));
        pipelines::tellWhile([&left] { return --left != 0; }, *this, steps_, ending);
        // Whatever the application does, the other side of a relay ends, too.
        endRelay(reason);
        ending.rethrow();
    }
    std::size_t keptInputBytes() const override {
        return std::apply([](const auto&... kept) { return (kept.bytes() + ...); }, kept_);
    }
    std::size_t keptInputMemory() const override {
        return std::apply([](const auto&... kept) { return (kept.memory() + ...); }, kept_) +
               Encoders::sum(steps_, pipelines::memory);
    }
    void sendPosted(const PostedItem& item) override NIO_REQUIRES(onDispatcher) {
        if constexpr (std::copy_constructible<pipelines::Owned<Posted>>) {
            send(static_cast<const pipelines::PostedItemOf<Posted>&>(item).item());
        }
    }
    bool relaysBytes() const override { return takesBytes; }
    void sendRelayed(ByteView bytes) override NIO_REQUIRES(onDispatcher) {
        if constexpr (takesBytes) sendThrough(bytes);
    }
    bool isFinishTold() const override { return finishAt_ == Shape::finishTold; }
    bool encodeOutput(bool ends) override NIO_REQUIRES(onDispatcher) {
        return Encoders::encode(*this, steps_, ends, finishedSteps_);
    }
    std::size_t heldOutputBytes() const override {
        return Encoders::sum(steps_, pipelines::heldOutput);
    }
    bool needsInput() const override { return Encoders::sum(steps_, pipelines::needsInput) > 0; }
    bool isBusyElsewhere() const override { return Shape::isBusyElsewhere(steps_); }

  private:
    template <class, std::size_t>
    friend class StageContext;
    // The application, both ways.
    static constexpr bool takesBytes = pipelines::isBytes<Received> && pipelines::isBytes<Sent>;

    template <std::size_t At>
    static constexpr bool reads = Shape::template reads<At>;
    template <std::size_t At>
    static constexpr bool takesParts = Shape::template takesParts<At>;

    // To each step, until the connection has ended: nothing is told after closed().
    template <class Event>
    void tell(Event&& event) NIO_REQUIRES(onDispatcher) {
        pipelines::tellWhile([this] { return channel().isOpen(); }, *this, steps_, event);
    }

    // --- towards the application: an item arrives before step At

    template <std::size_t At, class Item>
    void arrive(Item&& arrived) NIO_REQUIRES(onDispatcher) {
        decltype(auto) item =
            pipelines::carry<typename EndsAt<At>::Arriving>(std::forward<Item>(arrived));
        auto& kept = std::get<At>(kept_);
        // An encoding stage, and what is below it, gets input also when the connection is closing.
        const auto takesInput = [this] {
            return At < Encoders::end() ? channel().isOpen() : !discardsInput();
        };
        if constexpr (At < count && !reads<At>) {
            using Next = typename EndsAt<At + 1>::Arriving;
            if constexpr (pipelines::passesIn<typename EndsAt<At>::Arriving, Next>()) {
                arrive<At + 1>(std::forward<decltype(item)>(item));
            }
        } else if constexpr (At < count && takesParts<At>) {
            if (At > 0 && !takesInput()) return Encoders::discard(*this, item);
            kept.add(item, takingAt<At>(), goingOn<At>());
            inputKept(kept.memory());
        } else if (kept.isEmpty() && (At < Encoders::end() || mayDeliver()) && !isReading<At>())
            [[likely]] {
            give<At>(std::forward<decltype(item)>(item));
        } else if (takesInput()) {
            if (isReading<At>()) revisitInput();
            kept.add(std::forward<decltype(item)>(item));
            inputKept(kept.memory());
        } else {
            Encoders::discard(*this, item);
        }
    }
    // The rest of an interrupted delivery: what is nearest to the application came first.
    template <std::size_t At>
    void revisit() NIO_REQUIRES(onDispatcher) {
        auto& kept = std::get<At>(kept_);
        if constexpr (At < count && !reads<At>) {
        } else if constexpr (At < count && takesParts<At>) {
            kept.again(takingAt<At>(), goingOn<At>());
        } else {
            while (!kept.isEmpty() && mayTakeMore()) {
                auto item = kept.takeFirst();
                give<At>(pipelines::Carried<typename EndsAt<At>::Arriving>(std::move(item)));
            }
        }
        if constexpr (At > 0) revisit<At - 1>();
    }
    template <std::size_t At>
    auto takingAt() {
        return [this](ByteView bytes) {
            onDispatcher.assumeCurrent();
            StageContext<Pipeline, At> context(*this);
            const std::size_t taken = std::get<At>(steps_).read(context, bytes);
            // Else a turn in which all stages wait for more could end before the first one acts.
            if (taken == 0) ++callsLeft_;
            return taken;
        };
    }
    template <std::size_t At>
    auto goingOn() {
        return [this] {
            onDispatcher.assumeCurrent();
            return At < Encoders::end() ? channel().isOpen() : mayTakeMore();
        };
    }
    bool mayTakeMore() NIO_REQUIRES(onDispatcher) {
        if (!mayDeliver()) return false;
        if (callsLeft_ == 0 || isOutputHigh()) [[unlikely]]
            return revisitInput(), false;
        --callsLeft_;
        return true;
    }

    // A write() may answer at once, from inside of the read() that sends.
    template <std::size_t At>
    static constexpr bool mayBeAnswered = Shape::template writesBelow<At>();
    template <std::size_t At>
    bool isReading() const {
        return mayBeAnswered<At> && (readingSteps_ & (std::uint32_t{1} << At)) != 0;
    }
    template <std::size_t At, class Item>
    void give(Item&& item) NIO_REQUIRES(onDispatcher) {
        const pipelines::Marked<mayBeAnswered<At>> reading(readingSteps_, At);
        if constexpr (At < count) {
            StageContext<Pipeline, At> context(*this);
            std::get<At>(steps_).read(context, std::forward<Item>(item));
        } else if (takesBytes && isRelayed()) [[unlikely]] {
            if constexpr (takesBytes) relayBytes(item);
        } else {
            pipelines::give(application(), *this, std::forward<Item>(item));
        }
    }

    // Step At - 1 has decoded the peer's end of stream.
    template <std::size_t At>
    void endAt() NIO_REQUIRES(onDispatcher) {
        StreamEncoding(*this).endInput();
        if (mayDeliver() && !isOutputHigh()) return finish(At);
        if (discardsInput()) return;
        if (mayDeliver()) revisitInput();
        finishAt_ = At;
        pauseFor(ReadGate::Reason::keptEnd, true);
    }
    // The peer's end of stream goes through the steps from `first` on, behind what was kept.
    void finish(std::size_t first) NIO_REQUIRES(onDispatcher) {
        [&]<std::size_t... At>(std::index_sequence<At...>) NIO_REQUIRES(onDispatcher) {
            (void)((At < first || finishStep<At>()) && ...);
        }
        (std::make_index_sequence<count + 1>());
    }
    template <std::size_t At>
    bool finishStep() NIO_REQUIRES(onDispatcher) {
        if constexpr (At == count) {
            if (!mayFinish(count)) return false;
            finishAt_ = Shape::finishTold;
            if (isRelayed()) {
                relayFinish();
            } else if constexpr (requires { application().peerFinished(*this); }) {
                application().peerFinished(*this);
            } else {
                closeAfterFlush();
            }
        } else if constexpr (StageContext<Pipeline, At> context(*this);
                             requires { std::get<At>(steps_).peerFinished(context); }) {
            const bool goesOn = discardsInput() && channel().isOpen();  // for encoding stages
            if (!(Encoders::template encodes<At> && goesOn) && !mayFinish(At)) return goesOn;
            std::get<At>(steps_).peerFinished(context);
        }
        return true;
    }
    bool mayFinish(std::size_t step) NIO_REQUIRES(onDispatcher) {
        if (discardsInput()) return false;
        const bool waits =
            std::apply([](const auto&... kept) { return (kept.hasItems() || ...); }, kept_);
        finishAt_ = waits ? step : Shape::finishUnknown;
        pauseFor(ReadGate::Reason::keptEnd, waits);
        return !waits;
    }

    // --- towards the socket: an item comes out of step At

    template <bool copies, class Item>
    void sendItem(const Item& item) NIO_REQUIRES(onDispatcher) {
        if constexpr (!Shape::template writesBelow<count>()) {
            const ByteView bytes = pipelines::carry<ByteStream>(item);
            copies ? StreamState::send(bytes) : StreamState::sendThrough(bytes);
        } else {
            assertHere("send");
            if (!maySend()) return;
            const pipelines::Set mode(copiesOutput_, copies);
            sendWhole(copies, [&] { onDispatcher.assumeCurrent(), depart<count>(item); });
        }
    }

    template <std::size_t At, class Item>
    void depart(const Item& departing) NIO_REQUIRES(onDispatcher) {
        constexpr bool isSend = At > 0 && At == Encoders::end();
        if (isSend && !StreamEncoding(*this).beginSend()) return;
        pass<At>(departing);
        if (isSend) StreamEncoding(*this).endSend();
    }
    template <std::size_t At, class Item>
    void pass(const Item& departing) NIO_REQUIRES(onDispatcher) {
        using Sending = typename EndsAt<At>::Sending;
        const auto& item = pipelines::carry<Sending>(departing);
        if constexpr (At == 0 && Encoders::end() > 0) {
            copiesOutput_ ? StreamEncoding(*this).send(item) : StreamState::sendThrough(item);
        } else if constexpr (At == 0) {
            copiesOutput_ ? StreamState::send(item) : StreamState::sendThrough(item);
        } else if constexpr (Shape::template writes<At - 1>) {
            if constexpr (Encoders::template encodes<At - 1>) StreamEncoding(*this).flushLater();
            StageContext<Pipeline, At - 1> context(*this);
            std::get<At - 1>(steps_).write(context, item);
        } else {
            using Next = typename EndsAt<At - 1>::Sending;
            if constexpr (pipelines::passesOut<Next, Sending>()) depart<At - 1>(item);
        }
    }

    void pauseStage(std::size_t stage, bool pauses) NIO_REQUIRES(onDispatcher) {
        const std::uint32_t bit = std::uint32_t{1} << stage;
        const std::uint32_t paused = pauses ? pausedStages_ | bit : pausedStages_ & ~bit;
        pauseFor(ReadGate::Reason::stage, paused != 0);
        pausedStages_ = paused;
    }

    std::tuple<Steps...> steps_;
    typename Shape::Kept kept_;
    std::size_t callsLeft_ = 0;
    std::size_t finishAt_ = Shape::finishUnknown;  // or the step that the peer's end waits for
    std::uint32_t pausedStages_ = 0;
    std::uint32_t readingSteps_ = 0;          // those inside of their read(), a bit each
    std::uint8_t openedSteps_ = count + 1;    // that closed() is for; all, if it is never opened
    std::uint8_t finishedSteps_ = count + 1;  // the lowest whose finish() was called
    bool copiesOutput_ = true;
};

}  // namespace nio
