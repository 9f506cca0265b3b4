// What a stage of a pipeline is, and what a pipeline finds out about it at compile time.
//
// A stage is a copyable class. It states what it takes and gives inbound:
//
//     using In = nio::ByteStream;     default: whatever the stage before it gives
//     using Out = nio::Packet;        default: In
//
// ByteStream and Packet travel as a ByteView that is valid during the call, any other type as
// itself. Outbound a stage takes its Out and gives its In, unless it states OutboundIn or
// OutboundOut. None of them is a view: it would dangle once kept. Stages that do not fit are one
// static_assert; so is a function of these names that cannot be called.
//
// It implements what it needs of these; what it lacks passes through:
//
//     opened(context)                 the connection is registered and may send; if it ends here,
//                                     the stages behind are told neither opened nor closed
//     read(context, item)             inbound: context.read(x) none, one or many times
//     write(context, item)            outbound: context.write(x) likewise
//     flushed(context)                the kernel has accepted all output sent so far
//     aboveMark, belowMark(context)   pending output has crossed the water marks: see StreamHandler
//     peerFinished(context)           the peer has sent FIN
//     failed(context, error)          the connection ends with an error; closed() follows
//     closed(context)                 the connection has ended: the last call, once
//     leaving, arrived(context)       migration: the last call here, the first call there
//
// A stage that encodes the stream, TLS say, holds output back until the connection is flushed:
//
//     flush(context)                  before each flush: encode what write() has kept
//     finish(context)                 once, when nothing is held: our end of stream, before FIN
//     pendingBytes()                  what it holds: pending output, see StreamHandler
//     memory()                        its buffers: they count for the memory budget
//     needsInput()                    a handshake: a pause does not stop reads, and shutdownWrite()
//                                     takes effect after it
//
// They are called once it has called context.startEncoding(), in opened() or later. It may write
// until FIN has left, and is given input while the connection is paused or closing; what it gives
// is then kept, or discarded. While it holds output its peerFinished() is called also when the
// connection is closing. context.peerFinished() tells the end of the peer's stream that it has
// decoded.
//
// `context` is a StageContext (Context.h), taken as auto&. A read() of a ByteStream that returns
// std::size_t returns how many bytes it has taken. It is called again with the rest, at once if it
// took some and reading goes on, else with more behind it; at the latest then it must take some or
// wait for more. Let it take one packet a call: StreamOptions::maxPacketsPerTurn counts calls.
//
// A stage whose read() gives each item on as it came says so, and replaceWith() then hands on what
// is kept behind it:
//
//     static constexpr bool isTransparent = true;
//
// After a pause inside read() whatever else has arrived is kept and delivered in a later turn, not
// recursively. A pause inside peerFinished() does not hold the end back. opened() goes from the
// socket to the application: what a stage gives inside its own reaches the application before its
// opened().
// An exception from a step, or from its StageTimer, ends this connection only. One that comes out
// of a task (invokeLater), through send() say, is only reported.
//
// Thread: any; types only.
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nio/codec/ProtocolDecoder.h>
#include <nio/pipeline/Kept.h>

namespace nio {

// An application of messages and answers, which knows no connection: a test calls it. Besides this
// it has process(message), which returns a std::optional answer. Each answer is sent before the
// next message is processed; once shouldTerminate() no more are, and the connection closes after
// the flush.
// Source: BGU practical session on the reactor, MessagingProtocol.
template <class T>
concept MessagingProtocol = requires(T& protocol) {
    { protocol.shouldTerminate() } -> std::convertible_to<bool>;
};

}  // namespace nio

namespace nio::pipelines {

// ByteStream and Packet travel as a ByteView.
template <class T>
inline constexpr bool isBytes = std::same_as<T, ByteStream> || std::same_as<T, Packet>;
template <class T>
using Carried = std::conditional_t<isBytes<T>, ByteView, T>;
// What keeps it.
template <class T>
using Owned = std::conditional_t<isBytes<T>, Bytes, T>;

// What a stage takes and gives, where `Given` is what it gets from the socket's side and `Sent` is
// what that side takes: both ways the same, unless it says otherwise.
template <class Stage, class Given>
struct InOf {
    using Type = Given;
};
template <class Stage, class Given>
requires requires {
    typename Stage::In;
}
struct InOf<Stage, Given> {
    using Type = typename Stage::In;
};
template <class Stage, class Given>
struct OutOf {
    using Type = Given;
};
template <class Stage, class Given>
requires requires {
    typename Stage::Out;
}
struct OutOf<Stage, Given> {
    using Type = typename Stage::Out;
};
template <class Stage, class Sent>
struct OutboundInOf : OutOf<Stage, Sent> {};
template <class Stage, class Sent>
requires requires {
    typename Stage::OutboundIn;
}
struct OutboundInOf<Stage, Sent> {
    using Type = typename Stage::OutboundIn;
};
template <class Stage, class Sent>
struct OutboundOutOf : InOf<Stage, Sent> {};
template <class Stage, class Sent>
requires requires {
    typename Stage::OutboundOut;
}
struct OutboundOutOf<Stage, Sent> {
    using Type = typename Stage::OutboundOut;
};

// What arrives at the end of a chain of stages, and what that end takes to send.
template <class Arrives, class Sends>
struct Ends {
    using Arriving = Arrives;
    using Sending = Sends;
};

// Items are kept while reading is paused; what a view looks at is not.
template <class T>
inline constexpr bool isView = std::same_as<T, ByteView> || std::same_as<T, std::string_view>;

template <class From, class Stage>
struct Link {
    using In = typename InOf<Stage, typename From::Arriving>::Type;
    using OutboundOut = typename OutboundOutOf<Stage, typename From::Sending>::Type;
    static constexpr bool fitsInbound = std::same_as<In, typename From::Arriving>;
    static constexpr bool fitsOutbound = std::same_as<OutboundOut, typename From::Sending>;
    using To = Ends<typename OutOf<Stage, typename From::Arriving>::Type,
                    typename OutboundInOf<Stage, typename From::Sending>::Type>;
    static constexpr bool owns = !isView<In> && !isView<OutboundOut> &&
                                 !isView<typename To::Arriving> && !isView<typename To::Sending>;
    static constexpr bool fits = owns && fitsInbound && fitsOutbound;
};

// Position At of a pipeline: 0 is at the socket, sizeof...(Stages) is the application's.
template <std::size_t At, class From, class... Stages>
struct EndsBefore {
    using Type = From;
};
template <std::size_t At, class From, class Stage, class... Stages>
requires(At > 0) struct EndsBefore<At, From, Stage, Stages...>
    : EndsBefore<At - 1, typename Link<From, Stage>::To, Stages...> {
};

template <class From, class Application>
constexpr void checkLinks() {}
template <class From, class Stage, class Next, class... Rest>
constexpr void checkLinks() {
    using Here = Link<From, Stage>;
    static_assert(Here::owns,
                  "nio::pipeline: a stage's In, Out, OutboundIn and OutboundOut must not be views: "
                  "a view would dangle; use nio::Packet for bytes");
    static_assert(!Here::owns || Here::fitsInbound,
                  "nio::pipeline: a stage's In must be what the stage before it gives (its Out; "
                  "the socket gives nio::ByteStream)");
    static_assert(!Here::owns || !Here::fitsInbound || Here::fitsOutbound,
                  "nio::pipeline: what a stage writes (its OutboundOut, or else its In) must be "
                  "what the stage before it takes outbound (its OutboundIn, or else its Out)");
    if constexpr (Here::fits) {
        checkLinks<typename Here::To, Next, Rest...>();
    }
}
template <class From, class... Steps>
constexpr bool linksFit = true;
template <class From, class Stage, class Next, class... Rest>
constexpr bool linksFit<From, Stage, Next, Rest...> =
    Link<From, Stage>::fits&& linksFit<typename Link<From, Stage>::To, Next, Rest...>;

template <class Stage, class Context, class Item>
concept Reads = requires(Stage& stage, Context& context, Carried<Item> item) {
    stage.read(context, std::move(item));
};
template <class Stage, class Context, class Item>
concept TakesParts = std::same_as<Item, ByteStream> &&
    requires(Stage& stage, Context& context, ByteView bytes) {
    { stage.read(context, bytes) } -> std::same_as<std::size_t>;
};
// Whether items pass a stage that does not touch them. A piece of the stream may be called a
// packet.
template <class From, class To>
inline constexpr bool passes = std::same_as<Carried<From>, Carried<To>>;

template <class Stage>
inline constexpr bool isTransparent = requires {
    requires Stage::isTransparent;
};

template <class From, class To>
constexpr bool passesIn() {
    static_assert(passes<From, To>,
                  "nio::pipeline: a stage whose Out is not its In needs read(auto& context, item)");
    return passes<From, To>;
}
template <class From, class To>
constexpr bool passesOut() {
    static_assert(passes<From, To>,
                  "nio::pipeline: a stage that takes and gives different things outbound needs "
                  "write(auto& context, item)");
    return passes<From, To>;
}

template <class Stage, class Context, class Item>
concept Writes = requires(Stage& stage, Context& context, const Carried<Item>& item) {
    stage.write(context, item);
};

template <class Step, class Context, class Item, bool isApplication>
struct KeptBefore {
    using Type = KeptItems<Owned<Item>>;
};
template <class Step, class Context, class Item>
requires(!Reads<Step, Context, Item>) struct KeptBefore<Step, Context, Item, false> {
    using Type = KeptNothing;
};
template <class Step, class Context, class Item>
requires TakesParts<Step, Context, Item>
struct KeptBefore<Step, Context, Item, false> {
    using Type = KeptBytes;
};

template <class Application, class Peer, class Item>
concept Takes = std::invocable<Application&, Peer&, Item> ||
    requires(Application& application, Peer& peer, Item item) {
    application.read(peer, std::move(item));
};

// Spares the compiler's second error; not defined.
template <class T>
T nothing();

// What a stage or an application gives, as what the next one takes.
template <class Wanted, class Item>
decltype(auto) carry(Item&& item) {
    using To = Carried<Wanted>;
    constexpr bool isSame = std::same_as<std::remove_cvref_t<Item>, To>;
    constexpr bool converts = std::convertible_to<Item, To>;
    if constexpr (isBytes<Wanted> && std::convertible_to<Item, std::string_view>) {
        return asBytes(item);
    } else if constexpr (isSame && converts) {
        return std::forward<Item>(item);
    } else if constexpr (converts) {
        return To(std::forward<Item>(item));
    } else {
        static_assert(!isSame,
                      "nio::pipeline: an item that cannot be copied must be moved, "
                      "context.read(std::move(item)); it cannot be sent or written");
        static_assert(isSame,
                      "nio::pipeline: context.read() gives the stage's Out, context.write() its "
                      "OutboundOut (or else its In), peer.send() the last stage's OutboundIn (or "
                      "else its Out)");
        return nothing<To>();
    }
}

}  // namespace nio::pipelines
