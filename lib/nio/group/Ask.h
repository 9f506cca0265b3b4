// Asks another dispatcher without waiting for it: `function` runs there, `answer` here.
//
//     nio::ask(database, [id] { return load(id); },
//              [this](nio::Result<Row> row) { row ? show(row.value()) : fail(row.error()); });
//
// Thread: with an answer a dispatcher's own; for a std::future any.
// Lifetime: `function` is destroyed where it ran. `answer` belongs to the asking dispatcher: it is
// called in one of its turns, once and never before ask() returns, or destroyed there, uncalled,
// when that dispatcher stops first.
#pragma once

#include <concepts>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <nio/base/Guarded.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

namespace questions {

template <class T>
struct AsResult {
    using Type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
    using Type = Result<T>;
};
// Result<T> for a function that returns T or Result<T>.
template <class F>
using AnswerOf = typename AsResult<std::invoke_result_t<F&>>::Type;

template <class F, class Answer>
class QuestionOf final : public Question {
  public:
    QuestionOf(F function, Answer answer)
        : function_(std::move(function)), answer_(std::move(answer)) {}

    void run() override {
        const auto call = [this] {
            if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
                (*function_)();
                result_.emplace();
            } else {
                result_.emplace((*function_)());
            }
        };
        guarded(call,
                [this](const std::exception_ptr& thrown) { result_.emplace(errorOf(thrown)); });
        function_.reset();
    }
    void refuse(Error why) override {
        result_.emplace(std::move(why));
        function_.reset();
    }
    void tell() override {
        Answer answer = std::move(*answer_);
        answer_.reset();
        if (!result_) result_.emplace(Error(Errc::threadEnded));
        answer(std::move(*result_));
    }
    void drop() noexcept override { answer_.reset(); }

  private:
    std::optional<F> function_;
    std::optional<AnswerOf<F>> result_;
    std::optional<Answer> answer_;
};

}  // namespace questions

// Calls answer(Result<T>), where `function` returns T, void or Result<T>. Errors: what the function
// returned; handlerFailed, not_enough_memory (it threw); threadEnded (it ended its thread);
// stopped, queueFull, not_enough_memory (it did not run). If this throws std::bad_alloc, nothing
// was asked.
template <std::invocable F, class Answer>
void ask(SelectorThread& dispatcher, F function, Answer answer) NIO_REQUIRES(onDispatcher) {
    constexpr bool fits = std::invocable<Answer&, questions::AnswerOf<F>>;
    static_assert(fits, "nio::ask: the answer takes nio::Result<T>, where the function returns T");
    if constexpr (fits) {
        onDispatcher.assertCurrent();
        SelectorThread& asker = *DispatcherIdentity::current()->dispatcher();
        asker.questions().ask(*dispatcher.queue(),
                              std::make_shared<questions::QuestionOf<F, Answer>>(
                                  std::move(function), std::move(answer)));
    }
}

// For threads that may wait. get() returns the function's result, or throws its exception,
// std::system_error (stopped, queueFull: it did not run) or std::future_error (broken_promise: it
// ended its thread). Never wait for it in a turn: that blocks the dispatcher.
template <std::invocable F>
[[nodiscard]] std::future<std::invoke_result_t<F&>> ask(SelectorThread& dispatcher, F function) {
    using T = std::invoke_result_t<F&>;
    struct Promised {
        F function;
        std::promise<T> promise{};

        void operator()() {
            const auto call = [this] {
                if constexpr (std::is_void_v<T>) {
                    function();
                    promise.set_value();
                } else {
                    promise.set_value(function());
                }
            };
            guarded(call, [this](std::exception_ptr thrown) {
                promise.set_exception(std::move(thrown));
            });
        }
    };
    Promised promised{std::move(function)};
    std::future<T> future = promised.promise.get_future();
    const Result<void> posted = dispatcher.queue()->push(std::move(promised));
    if (!posted) {
        promised.promise.set_exception(std::make_exception_ptr(
            std::system_error(posted.error().code(), posted.error().context())));
    }
    return future;
}

}  // namespace nio
