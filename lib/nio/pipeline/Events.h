// Each tells a step of a pipeline one event of the connection, if the step has the function.
//
// Thread: the connection's dispatcher.
#pragma once

#include <exception>
#include <optional>
#include <tuple>
#include <utility>

#include <nio/base/Error.h>
#include <nio/base/Guarded.h>
#include <nio/base/ThreadRole.h>
#include <nio/pipeline/Context.h>

namespace nio::pipelines {

inline constexpr auto opened = [](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
    if constexpr (requires { step.opened(context); }) step.opened(context);
};
inline constexpr auto flushed = [](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
    if constexpr (requires { step.flushed(context); }) step.flushed(context);
};
inline constexpr auto aboveMark = [](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
    if constexpr (requires { step.aboveMark(context); }) step.aboveMark(context);
};
inline constexpr auto belowMark = [](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
    if constexpr (requires { step.belowMark(context); }) step.belowMark(context);
};
inline constexpr auto leaving = [](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
    if constexpr (requires { step.leaving(context); }) step.leaving(context);
};
inline constexpr auto arrived = [](auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
    if constexpr (requires { step.arrived(context); }) step.arrived(context);
};

// Tells the end: if a step throws, the next ones are told all the same.
class Ending {
  public:
    // `thrown`: an earlier exception, if any.
    Ending(const std::optional<Error>& reason, std::exception_ptr thrown)
        : reason_(reason), thrown_(std::move(thrown)) {}

    void operator()(auto& step, auto& context) NIO_REQUIRES(onDispatcher) {
        if constexpr (requires { step.failed(context, *reason_); }) {
            const auto failed = [&] {
                onDispatcher.assumeCurrent();
                step.failed(context, *reason_);
            };
            if (reason_) keepThrown(failed);
        }
        if constexpr (requires { step.closed(context); }) {
            const auto closed = [&] {
                onDispatcher.assumeCurrent();
                step.closed(context);
            };
            keepThrown(closed);
        }
    }
    // Rethrows the first exception.
    void rethrow() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

  private:
    template <class Call>
    void keepThrown(Call& call) {
        guarded(call, [this](std::exception_ptr thrown) {
            if (!thrown_) thrown_ = std::move(thrown);
        });
    }

    const std::optional<Error>& reason_;
    std::exception_ptr thrown_;
};

// Calls `event` with each stage and its context, from the socket on, while `goesOn`, and then with
// the application.
template <class Pipeline, class... Steps>
void tellWhile(auto&& goesOn, Pipeline& pipeline, std::tuple<Steps...>& steps, auto& event)
    NIO_REQUIRES(onDispatcher) {
    constexpr std::size_t count = sizeof...(Steps) - 1;
    [&]<std::size_t... At>(std::index_sequence<At...>) NIO_REQUIRES(onDispatcher) {
        [[maybe_unused]] const auto toStage = [&](auto& stage, auto context)
                                                  NIO_REQUIRES(onDispatcher) {
                                                      event(stage, context);
                                                      return goesOn();
                                                  };
        if ((toStage(std::get<At>(steps), StageContext<Pipeline, At>(pipeline)) && ...)) {
            event(std::get<count>(steps), pipeline);
        }
    }
    (std::make_index_sequence<count>());
}

}  // namespace nio::pipelines
