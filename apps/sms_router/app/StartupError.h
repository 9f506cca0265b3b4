// The first fatal error: what the router needs and could not get.
//
// Thread: any.
#pragma once

#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <nio/base/Error.h>

namespace router {

class StartupError {
  public:
    // Needs no memory.
    void put(std::string what, std::error_code why) noexcept {
        const std::lock_guard lock(mutex_);
        if (why_) return;
        what_ = std::move(what);
        why_ = why;
    }
    // The context is left out where there is no memory for it.
    void put(const nio::Error& why) noexcept {
        std::string what;
        try {
            what = why.context();
        } catch (const std::bad_alloc&) {
            what = "dispatcher";
        }
        put(std::move(what), why.code());
    }
    bool isThere() const noexcept {
        const std::lock_guard lock(mutex_);
        return static_cast<bool>(why_);
    }
    // As std::runtime_error, one line; nothing where there is none.
    void raise() const {
        const std::lock_guard lock(mutex_);
        if (why_) throw std::runtime_error(what_ + ": " + why_.message());
    }

  private:
    mutable std::mutex mutex_;
    std::string what_;
    std::error_code why_;
};

}  // namespace router
