// What a pipeline knows of its steps, by their positions: 0 is at the socket, `count` is the
// application's.
//
// Thread: any; types only.
#pragma once

#include <tuple>
#include <utility>

#include <nio/pipeline/Context.h>
#include <nio/pipeline/Stage.h>

namespace nio::pipelines {

template <class Pipeline, class... Steps>
struct Shape {
    static constexpr std::size_t count = sizeof...(Steps) - 1;
    using Socket = Ends<ByteStream, ByteStream>;

    template <std::size_t I>
    using EndsAt = typename EndsBefore<I, Socket, Steps...>::Type;
    template <std::size_t I>
    using StepAt = std::tuple_element_t<I, std::tuple<Steps...>>;
    template <std::size_t I>
    using ContextAt = StageContext<Pipeline, I>;

    template <std::size_t I>
    static constexpr bool reads = Reads<StepAt<I>, ContextAt<I>, typename EndsAt<I>::Arriving>;
    template <std::size_t I>
    static constexpr bool takesParts =
        TakesParts<StepAt<I>, ContextAt<I>, typename EndsAt<I>::Arriving>;
    template <std::size_t I>
    static constexpr bool writes = Writes<StepAt<I>, ContextAt<I>, typename EndsAt<I + 1>::Sending>;

    using Application = StepAt<count>;
    using Received = typename EndsAt<count>::Arriving;
    static constexpr bool applicationFits =
        MessagingProtocol<Application> || Takes<Application, Pipeline, Carried<Received>> ||
        (isBytes<Received> && Takes<Application, Pipeline, std::string_view>);

    // It is the half of a pipeline that stands before nio::on, or behind it (CrossingEnds.h).
    static constexpr bool crosses = requires { typename Application::CrossingBack; };
    static constexpr bool isBehindOn = requires { typename StepAt<0>::CrossingFront; };

    static bool isBusyElsewhere([[maybe_unused]] const std::tuple<Steps...>& steps) {
        if constexpr (crosses) return std::get<count>(steps).isBusyElsewhere();
        return false;
    }

    // Where the peer's end of stream is, if it does not wait for what a step keeps.
    static constexpr std::size_t finishUnknown = count + 1;
    static constexpr std::size_t finishTold = count + 2;

    static constexpr bool takesPartsAnywhere() {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (takesParts<I> || ...);
        }
        (std::make_index_sequence<count>());
    }
    // Below step `end`.
    template <std::size_t end>
    static constexpr bool writesBelow() {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (writes<I> || ...);
        }
        (std::make_index_sequence<end>());
    }

    template <std::size_t I>
    using KeptAt = typename KeptBefore<StepAt<I>, ContextAt<I>, typename EndsAt<I>::Arriving,
                                       I == count>::Type;
    template <std::size_t... I>
    static auto keptOf(std::index_sequence<I...>) -> std::tuple<KeptAt<I>...>;
    // What each of them has not taken yet.
    using Kept = decltype(keptOf(std::make_index_sequence<count + 1>()));
};

// Of the socket, which may be on the other side of a crossing.
template <class... Steps>
Result<SocketAddress> peerAddress(const SocketChannel& channel, const std::tuple<Steps...>& steps) {
    if constexpr (requires { std::get<0>(steps).peerAddress(); }) {
        return std::get<0>(steps).peerAddress();
    } else {
        return channel.peerAddress();
    }
}

}  // namespace nio::pipelines
