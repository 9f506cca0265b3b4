// A stream whose text goes to a LineSink when it is flushed, in one write. What the sink drops is
// no failure of the stream: the sink counts it.
//
// Thread: one at a time. Lifetime: of the sink longer.
#pragma once

#include <ostream>
#include <sstream>

#include <nio/sys/LineSink.h>

namespace apps {

class SinkStream final : public std::ostream {
  public:
    explicit SinkStream(nio::LineSink& sink) : std::ostream(nullptr), buffer_(sink) {
        rdbuf(&buffer_);
    }

  private:
    class Buffer final : public std::stringbuf {
      public:
        explicit Buffer(nio::LineSink& sink) : std::stringbuf(std::ios::out), sink_(sink) {}

      protected:
        int sync() override {
            if (!view().empty()) (void)sink_.write({view()});
            str("");
            return 0;
        }

      private:
        nio::LineSink& sink_;
    };

    Buffer buffer_;
};

}  // namespace apps
