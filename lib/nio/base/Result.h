// A value, or an Error. [[nodiscard]]: the caller must check.
//
//     Result<UniqueFd> fd = kernel::openStreamSocket(family);
//     if (!fd) return fd.error();
//
// value() requires a value and error() an error (asserted). orThrow() throws the error as a
// std::system_error, for set-up code.
//
// Thread: any; a value.
#pragma once

#include <cassert>
#include <concepts>
#include <optional>
#include <utility>
#include <variant>

#include <nio/base/Error.h>

namespace nio {

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
    template <class Code>
    requires std::same_as<Code, Errc> || std::same_as<Code, std::errc> Result(Code code)
        : Result(Error(code)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
    const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
    T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }
    const Error& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

    T orThrow() && {
        if (!ok()) error().raise();
        return std::move(*this).value();
    }

  private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    template <class Code>
    requires std::same_as<Code, Errc> || std::same_as<Code, std::errc> Result(Code code)
        : Result(Error(code)) {}

    bool ok() const { return !error_; }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return assert(!ok()), *error_; }
    void orThrow() const {
        if (error_) error_->raise();
    }

  private:
    std::optional<Error> error_;
};

}  // namespace nio
