// Keeps a flag true for its lifetime, also where something throws.
//
// Thread: that of the flag.
#pragma once

namespace router {

class FlagGuard {
  public:
    explicit FlagGuard(bool& flag) : flag_(flag) { flag_ = true; }
    FlagGuard(const FlagGuard&) = delete;
    FlagGuard& operator=(const FlagGuard&) = delete;
    ~FlagGuard() { flag_ = false; }

  private:
    bool& flag_;
};

}  // namespace router
