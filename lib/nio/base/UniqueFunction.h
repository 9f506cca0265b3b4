// A move-only callable, which may own move-only objects (a channel, a promise). A callable of up to
// six pointers is stored inside, without allocation. Calling an empty one is an error (asserted).
// It may be called many times.
//
// Thread: any; a value.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <nio/base/Cpp20.h>

namespace nio {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
  public:
    UniqueFunction() = default;
    UniqueFunction(std::nullptr_t) {}

    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, UniqueFunction>) &&
        std::is_invocable_r_v<R, std::decay_t<F>&, Args...> UniqueFunction(F&& callable) {
        using Stored = std::decay_t<F>;
        if constexpr (fitsInside<Stored>) {
            new (&storage_) Stored(std::forward<F>(callable));
            operations_ = &Inside<Stored>::operations;
        } else {
            new (&storage_) Stored*(new Stored(std::forward<F>(callable)));
            operations_ = &OnHeap<Stored>::operations;
        }
    }

    UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
    UniqueFunction& operator=(UniqueFunction&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~UniqueFunction() { reset(); }

    explicit operator bool() const { return operations_ != nullptr; }

    R operator()(Args... args) {
        assert(operations_ != nullptr);
        return operations_->call(&storage_, std::forward<Args>(args)...);
    }

  private:
    static constexpr std::size_t insideBytes = 6 * sizeof(void*);

    struct Operations {
        R (*call)(void*, Args&&...);
        void (*moveTo)(void* from, void* to) noexcept;
        void (*destroy)(void*) noexcept;
    };

    template <class F>
    static constexpr bool fitsInside =
        sizeof(F) <= insideBytes &&
        alignof(F) <= alignof(void*) && std::is_nothrow_move_constructible_v<F>;

    // The stored object is a different object than the storage, at the same address.
    template <class F>
    static F* in(void* storage) noexcept {
        return std::launder(static_cast<F*>(storage));
    }

    // Named functions, not lambdas: lambdas of all types would share one name in coverage reports.
    // Hidden: otherwise the dynamic loader would bind all libraries of a process to the first copy
    // of each table that it meets.
    template <class F>
    struct __attribute__((visibility("hidden"))) Inside {
        static R call(void* f, Args&&... args) { return (*in<F>(f))(std::forward<Args>(args)...); }
        static void moveTo(void* from, void* to) noexcept {
            new (to) F(std::move(*in<F>(from)));
            destroy(from);
        }
        static void destroy(void* f) noexcept { in<F>(f)->~F(); }
        static constexpr Operations operations{call, moveTo, destroy};
    };
    template <class F>
    struct __attribute__((visibility("hidden"))) OnHeap {
        static R call(void* f, Args&&... args) {
            return (**in<F*>(f))(std::forward<Args>(args)...);
        }
        static void moveTo(void* from, void* to) noexcept { new (to) F*(*in<F*>(from)); }
        static void destroy(void* f) noexcept { delete *in<F*>(f); }
        static constexpr Operations operations{call, moveTo, destroy};
    };

    void take(UniqueFunction& other) noexcept {
        if (other.operations_ == nullptr) return;
        operations_ = std::exchange(other.operations_, nullptr);
        operations_->moveTo(&other.storage_, &storage_);
    }

    void reset() noexcept {
        if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(&storage_);
    }

    const Operations* operations_ = nullptr;
    alignas(void*) std::byte storage_[insideBytes];
};

}  // namespace nio
