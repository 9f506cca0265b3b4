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

    template <std::size_t At>
    using EndsAt = typename EndsBefore<At, Socket, Steps...>::Type;
    template <std::size_t At>
    using StepAt = std::tuple_element_t<At, std::tuple<Steps...>>;
    template <std::size_t At>
    using ContextAt = StageContext<Pipeline, At>;

    template <std::size_t At>
    static constexpr bool reads = Reads<StepAt<At>, ContextAt<At>, typename EndsAt<At>::Arriving>;
    template <std::size_t At>
    static constexpr bool takesParts =
        TakesParts<StepAt<At>, ContextAt<At>, typename EndsAt<At>::Arriving>;
    template <std::size_t At>
    static constexpr bool writes =
        Writes<StepAt<At>, ContextAt<At>, typename EndsAt<At + 1>::Sending>;

    using Application = StepAt<count>;
    using Received = typename EndsAt<count>::Arriving;
    static constexpr bool applicationFits =
        MessagingProtocol<Application> || Takes<Application, Pipeline, Carried<Received>> ||
        (isBytes<Received> && Takes<Application, Pipeline, std::string_view>);

    // Whether this is the half of a pipeline before nio::on, or the one behind it (CrossingEnds.h).
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
        return []<std::size_t... At>(std::index_sequence<At...>) {
            return (takesParts<At> || ...);
        }
        (std::make_index_sequence<count>());
    }
    // The first step that may make something else of the stream.
    static constexpr std::size_t rawEnd() {
        return []<std::size_t... At>(std::index_sequence<At...>) {
            std::size_t end = 0;
            (void)(((!reads<At> || isTransparent<StepAt<At>>) ? ++end : 0) && ...);
            return end;
        }
        (std::make_index_sequence<count>());
    }
    // Below step `end`.
    template <std::size_t end>
    static constexpr bool writesBelow() {
        return []<std::size_t... At>(std::index_sequence<At...>) {
            return (writes<At> || ...);
        }
        (std::make_index_sequence<end>());
    }

    template <std::size_t At>
    using KeptAt = typename KeptBefore<StepAt<At>, ContextAt<At>, typename EndsAt<At>::Arriving,
                                       At == count>::Type;
    template <std::size_t... At>
    static auto keptOf(std::index_sequence<At...>) -> std::tuple<KeptAt<At>...>;
    // What each of them has not taken yet.
    using Kept = decltype(keptOf(std::make_index_sequence<count + 1>()));
    static bool appendRest(const Kept& kept, Bytes& rest) {
        return pipelines::appendRest<rawEnd()>(kept, rest);
    }
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
