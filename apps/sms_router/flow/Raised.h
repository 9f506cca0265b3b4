// A flag that is up as long as this is there, also where something throws.
//
// Thread: that of the flag.
#pragma once

namespace router {

class Raised {
  public:
    explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;
    ~Raised() { flag_ = false; }

  private:
    bool& flag_;
};

}  // namespace router
