// What is done for a message before it is answered: nothing, or a sleep that stands for a disk.
//
// A message is so many bytes of a connection's stream, however they are chopped. Bytes are answered
// as they come; only the piece that completes a message waits for the work. So the echo is right
// for any bytes, and whoever waits for a whole message waits for its work too.
//
// Thread: one at a time; one object per connection.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

#include <nio/base/Bytes.h>

namespace models {

struct WorkOptions {
    std::chrono::microseconds time{0};  // per message; 0: no work
    std::size_t messageBytes = 64;
};

class Work {
  public:
    explicit Work(const WorkOptions& options) : options_(options), missing_(options.messageBytes) {}

    // Calls answer(piece) for each piece of `bytes`, in order, each after its work.
    template <class Answer>
    void onEach(nio::ByteView bytes, Answer&& answer) {
        if (options_.time.count() == 0) return answer(bytes);
        while (!bytes.empty()) {
            const nio::ByteView piece = bytes.first(std::min(missing_, bytes.size()));
            bytes = bytes.subspan(piece.size());
            missing_ -= piece.size();
            if (missing_ == 0) doIt();
            answer(piece);
        }
    }

  private:
    void doIt() {
        std::this_thread::sleep_for(options_.time);
        missing_ = options_.messageBytes;
    }

    const WorkOptions options_;
    std::size_t missing_;  // bytes until the message under way is complete
};

}  // namespace models
