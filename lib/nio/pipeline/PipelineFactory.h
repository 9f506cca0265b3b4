// A connection made of stages: the protocol of a connection as a type.
//
//     auto echo = nio::pipeline(nio::lines(),
//                               [](auto& peer, std::string_view line) { peer.send(line); });
//
// pipeline(stage, stage, ..., application) returns a factory, a HandlerFactory of a Server, say.
// Each connection gets a copy of every stage and of the application, in one allocation; no call
// between them is virtual.
//
//     socket -> read -> stage -> read -> stage -> read -> application
//     socket <- write <- stage <- write <- stage <- send <- application
//
// Stage.h says what a stage is.
//
// An application is a copyable lambda (auto& peer, item), with bytes as std::string_view or
// ByteView; or a class with the functions of a stage, read() among them; or a MessagingProtocol,
// whose answers are sent, until it says shouldTerminate(). `peer` is the Pipeline: it has send(),
// handle() for other threads, replaceWith() another protocol, and all public functions of
// StreamState. Without peerFinished() the connection closes after the flush.
//
// Thread: the dispatcher's own; the factory any, one at a time.
// Lifetime: see StreamHandler. `peer` is valid until the end of the turn in which closed() came.
#pragma once

#include <concepts>
#include <memory>
#include <tuple>
#include <utility>

#include <nio/pipeline/CrossingEnds.h>
#include <nio/pipeline/On.h>
#include <nio/pipeline/Pipeline.h>
#include <nio/pipeline/StepCheck.h>

namespace nio {

// A HandlerFactory (ConnectionDealer.h).
template <class... Steps>
class PipelineFactory {
  public:
    using Made = Pipeline<Steps...>;

    explicit PipelineFactory(Steps... steps)
        : steps_(std::move(steps)...), options_(std::make_shared<const StreamOptions>()) {}

    // The same with other limits; throws std::system_error (invalid_argument) if maxPacketsPerTurn
    // is zero.
    PipelineFactory with(const StreamOptions& options) const {
        if (options.maxPacketsPerTurn == 0) {
            Error(std::errc::invalid_argument, "maxPacketsPerTurn").raise();
        }
        PipelineFactory factory(*this);
        factory.options_ = std::make_shared<const StreamOptions>(options);
        auto& application = std::get<sizeof...(Steps) - 1>(factory.steps_);
        if constexpr (requires { application.useOptions(options); }) {
            application.useOptions(options);
        }
        return factory;
    }

    std::unique_ptr<Made> operator()(SocketChannel channel) const {
        return std::make_unique<Made>(std::move(channel), options_, steps_);
    }
    // An AcceptedConnection.
    template <class Accepted>
    requires requires(Accepted accepted) { accepted.permit; }
    std::unique_ptr<Made> operator()(Accepted accepted) const {
        std::unique_ptr<Made> made = (*this)(std::move(accepted.channel));
        made->keep(std::move(accepted.permit));
        return made;
    }

  private:
    std::tuple<Steps...> steps_;
    std::shared_ptr<const StreamOptions> options_;
};

namespace pipelines {
// What pipeline() returns for steps that do not fit: avoids further compile errors.
struct Misfit {
    template <class T>
    operator T() const;
    Misfit with(const StreamOptions&) const { return *this; }
    Misfit operator()(auto&&) const { return *this; }
};

// The place of the first nio::on; sizeof...(Steps): there is none.
template <class... Steps>
constexpr std::size_t placeOfOn() {
    std::size_t place = 0;
    (void)((!std::same_as<Steps, On> && ++place != 0) && ...);
    return place;
}
// Two pipelines: see CrossingEnds.h.
template <class Steps, std::size_t... Before, std::size_t... Behind>
auto divided(Steps steps, std::index_sequence<Before...>, std::index_sequence<Behind...>);
}  // namespace pipelines

// The last argument is the application.
template <class... Steps>
requires(pipelines::placeOfOn<Steps...>() < sizeof...(Steps)) auto pipeline(Steps... steps) {
    constexpr std::size_t before = pipelines::placeOfOn<Steps...>();
    constexpr bool isServed = before + 1 < sizeof...(Steps);
    static_assert(isServed, "nio::pipeline: behind nio::on() stands an application");
    if constexpr (isServed) {
        return pipelines::divided(std::tuple<Steps...>(std::move(steps)...),
                                  std::make_index_sequence<before>(),
                                  std::make_index_sequence<sizeof...(Steps) - before - 1>());
    } else {
        return pipelines::Misfit();
    }
}
template <class... Steps>
requires(sizeof...(Steps) > 0 &&
         pipelines::placeOfOn<Steps...>() == sizeof...(Steps)) auto pipeline(Steps... steps) {
    static_assert(sizeof...(Steps) <= 32, "nio::pipeline: at most 31 stages");
    constexpr bool copies = (std::copy_constructible<Steps> && ...);
    static_assert(copies,
                  "nio::pipeline: each connection gets copies of the stages and of the "
                  "application: they must be copyable");
    using Socket = pipelines::Ends<ByteStream, ByteStream>;
    pipelines::checkLinks<Socket, Steps...>();
    if constexpr (!copies || !pipelines::linksFit<Socket, Steps...>) {
        return pipelines::Misfit();
    } else if constexpr (!pipelines::stepsFit<Pipeline<Steps...>, Socket, Steps...>()) {
        return pipelines::Misfit();
    } else {
        constexpr bool isServed = Pipeline<Steps...>::applicationFits;
        static_assert(isServed,
                      "nio::pipeline: the application is a copyable lambda with (auto& peer, "
                      "item), a class with read(auto& peer, item), or a MessagingProtocol; the "
                      "item is what the last stage gives, bytes as std::string_view or "
                      "nio::ByteView");
        if constexpr (isServed) {
            return PipelineFactory<Steps...>(std::move(steps)...);
        } else {
            return pipelines::Misfit();
        }
    }
}

template <class Steps, std::size_t... Before, std::size_t... Behind>
auto pipelines::divided(Steps steps, std::index_sequence<Before...>,
                        std::index_sequence<Behind...>) {
    constexpr std::size_t before = sizeof...(Before);
    using Socket = Ends<ByteStream, ByteStream>;
    using Here = typename EndsBefore<before, Socket, std::tuple_element_t<Before, Steps>...>::Type;
    auto back = pipeline(BackEnd<Here>(), std::get<before + 1 + Behind>(std::move(steps))...);
    if constexpr (std::same_as<decltype(back), Misfit>) {
        return back;
    } else {
        return pipeline(std::get<Before>(std::move(steps))...,
                        FrontEnd<Here, decltype(back)>(std::get<before>(steps), back));
    }
}

}  // namespace nio
