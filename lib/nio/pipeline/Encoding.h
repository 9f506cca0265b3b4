// What a pipeline asks its encoding stages, TLS say: those with flush() or finish(). Stage.h says
// what these are for. A pipeline without such a stage contains none of this.
//
// Thread: the connection's dispatcher.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/pipeline/Context.h>

namespace nio::pipelines {

template <class Step, class Context>
concept Encodes = requires(Step& step, Context& context) {
    step.flush(context);
}
|| requires(Step& step, Context& context) {
    step.finish(context);
};

inline constexpr auto heldOutput = [](const auto& step) -> std::size_t {
    if constexpr (requires { step.pendingBytes(); }) {
        return step.pendingBytes();
    } else {
        return 0;
    }
};
inline constexpr auto memory = [](const auto& step) -> std::size_t {
    if constexpr (requires { step.memory(); }) {
        return step.memory();
    } else {
        return 0;
    }
};
inline constexpr auto needsInput = [](const auto& step) -> std::size_t {
    if constexpr (requires { step.needsInput(); }) {
        return step.needsInput() ? 1 : 0;
    } else {
        return 0;
    }
};

// Steps: the application is the last one.
template <class Pipeline, class... Steps>
struct Encoders {
    template <std::size_t At>
    static constexpr bool encodes =
        Encodes<std::tuple_element_t<At, std::tuple<Steps...>>, StageContext<Pipeline, At>>;
    using Stages = std::make_index_sequence<sizeof...(Steps) - 1>;

    // The position of the topmost one plus one; 0: there is none.
    static constexpr std::size_t end() {
        return []<std::size_t... At>(std::index_sequence<At...>) {
            return std::max({std::size_t{0}, (encodes<At> ? At + 1 : std::size_t{0})...});
        }
        (Stages());
    }
    template <class Of>
    static std::size_t sum(const std::tuple<Steps...>& steps, const Of& of) {
        return [&]<std::size_t... At>(std::index_sequence<At...>) {
            return (std::size_t{0} + ... + (encodes<At> ? of(std::get<At>(steps)) : 0));
        }
        (Stages());
    }

    // Counts input that no stage takes any more as discarded.
    static void discard(Pipeline& pipeline, const auto& item) {
        if constexpr (end() > 0 && std::convertible_to<decltype(item), ByteView>) {
            if (!pipeline.channel().isOpen()) return;
            StreamEncoding(pipeline).discardInput(ByteView(item).size());
        }
    }

    // Calls flush() of each, from the application to the socket, and finish() if `ends` and nothing
    // is held. `finished` is the lowest step that has finished. Returns whether all have.
    template <std::size_t below = end()>
    static bool encode(Pipeline& pipeline, std::tuple<Steps...>& steps, bool ends,
                       std::uint8_t& finished) NIO_REQUIRES(onDispatcher) {
        if constexpr (below == 0) {
            return ends;
        } else {
            constexpr std::size_t At = below - 1;
            if constexpr (encodes<At>) {
                auto& stage = std::get<At>(steps);
                StageContext<Pipeline, At> context(pipeline);
                if constexpr (requires { stage.flush(context); }) stage.flush(context);
                ends = ends && heldOutput(stage) == 0;
                if (ends && At < finished) {
                    finished = At;
                    if constexpr (requires { stage.finish(context); }) stage.finish(context);
                }
            }
            return encode<At>(pipeline, steps, ends, finished);
        }
    }
};

}  // namespace nio::pipelines
