// What pipeline() refuses of a stage or an application beside what it takes and gives: a function
// with a known name that the pipeline could not call would be passed by without a word.
//
// Thread: any; types only.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <nio/base/Error.h>
#include <nio/pipeline/Context.h>
#include <nio/pipeline/Stage.h>

namespace nio::pipelines {

struct Names {
    int read, write, opened, flushed, aboveMark, belowMark, peerFinished, failed, closed, leaving,
        arrived, flush, finish;
};
// A name of a step's own, also that of a template, is ambiguous in here.
template <class Step>
struct WithNames : Step, Names {};
// A final class is not checked.
template <class Step>
using Probe = WithNames<
    std::conditional_t<std::is_class_v<Step> && !std::is_final_v<Step>, Step, std::monostate>>;

template <class T>
inline constexpr bool isData = std::is_member_object_pointer_v<T>;

// clang-format off
// Whether the step has a function of this name. Data that is not private may have it.
#define NIO_HAS(name) \
    (!requires { &Probe<Step>::name; } && !requires { requires isData<decltype(&Step::name)>; })
#define NIO_CHECK_EVENT(name, ...) \
    static_assert(!NIO_HAS(name) || \
                      requires(Step& step, Context& context, const Error& error) { \
                          step.name(__VA_ARGS__); \
                      }, \
                  "nio::pipeline: a step's " #name " must be called as " #name "(" #__VA_ARGS__ \
                  "), with auto& context")
// clang-format on

template <class Step, class Context>
constexpr void checkEvents() {
    NIO_CHECK_EVENT(opened, context);
    NIO_CHECK_EVENT(flushed, context);
    NIO_CHECK_EVENT(aboveMark, context);
    NIO_CHECK_EVENT(belowMark, context);
    NIO_CHECK_EVENT(peerFinished, context);
    NIO_CHECK_EVENT(failed, context, error);
    NIO_CHECK_EVENT(closed, context);
    NIO_CHECK_EVENT(leaving, context);
    NIO_CHECK_EVENT(arrived, context);
}

// A stage between `Item` inbound, and `Sent` outbound.
template <class Step, class Context, class Item, class Sent>
struct StageCheck {
    static constexpr bool reads = Reads<Step, Context, Item> || !NIO_HAS(read);
    static constexpr bool writes = Writes<Step, Context, Sent> || !NIO_HAS(write);
    static constexpr bool returns() {
        if constexpr (Reads<Step, Context, Item> && !TakesParts<Step, Context, Item>) {
            return std::is_void_v<decltype(std::declval<Step&>().read(
                std::declval<Context&>(), std::declval<Carried<Item>>()))>;
        } else {
            return true;
        }
    }

    // Says what does not fit.
    static constexpr bool fits() {
        checkEvents<Step, Context>();
        NIO_CHECK_EVENT(flush, context);
        NIO_CHECK_EVENT(finish, context);
        static_assert(reads,
                      "nio::pipeline: a stage's read must be called as read(auto& context, item); "
                      "the item is what the stage before gives, bytes as nio::ByteView");
        static_assert(writes,
                      "nio::pipeline: a stage's write must be called as write(auto& context, "
                      "const item&); the item is what is sent to it, bytes as nio::ByteView");
        static_assert(returns(),
                      "nio::pipeline: a stage's read returns void, or of a nio::ByteStream "
                      "std::size_t, the bytes it has taken");
        return reads && writes && returns();
    }
};

// A MessagingProtocol's process() of an item: bytes may be a std::string, too.
template <class Protocol, class Item>
concept Processes = requires(Protocol& protocol, Item item) {
    protocol.process(std::move(item)) ? void(*protocol.process(std::move(item))) : void();
};

// An application that reads with read().
template <class Application, class Peer, class Item>
constexpr void checkReturn() {
    if constexpr (requires(Application & application, Peer & peer, Item item) {
                      application.read(peer, std::move(item));
                  }) {
        static_assert(
            std::is_void_v<decltype(std::declval<Application&>().read(std::declval<Peer&>(),
                                                                      std::declval<Item>()))>,
            "nio::pipeline: an application's read returns void: it gets what it takes whole");
    }
}

template <class Pipeline, class Socket, class... Steps, std::size_t... At>
constexpr bool stagesFit(std::index_sequence<At...>) {
    return (StageCheck<std::tuple_element_t<At, std::tuple<Steps...>>, StageContext<Pipeline, At>,
                       typename EndsBefore<At, Socket, Steps...>::Type::Arriving,
                       typename EndsBefore<At + 1, Socket, Steps...>::Type::Sending>::fits() &&
            ...);
}
// Whether these steps of `Pipeline`, which stand on `Socket`, can be called.
template <class Pipeline, class Socket, class... Steps>
constexpr bool stepsFit() {
    constexpr std::size_t count = sizeof...(Steps) - 1;
    if constexpr (!stagesFit<Pipeline, Socket, Steps...>(std::make_index_sequence<count>())) {
        return false;
    } else {
        using Application = typename Pipeline::Application;
        using Item = Carried<typename Pipeline::Received>;
        checkEvents<Application, Pipeline>();
        constexpr bool processes =
            !MessagingProtocol<Application> || Processes<Application, Item> ||
            (isBytes<typename Pipeline::Received> && Processes<Application, std::string>);
        static_assert(processes,
                      "nio::pipeline: a MessagingProtocol (it has shouldTerminate()) needs "
                      "process(item), which returns a std::optional answer; the item is what the "
                      "last stage gives, bytes as std::string, std::string_view or nio::ByteView");
        if constexpr (!MessagingProtocol<Application> &&
                      !std::invocable<Application&, Pipeline&, Item>) {
            checkReturn<Application, Pipeline, Item>();
        }
        return processes;
    }
}

#undef NIO_CHECK_EVENT
#undef NIO_HAS

}  // namespace nio::pipelines
