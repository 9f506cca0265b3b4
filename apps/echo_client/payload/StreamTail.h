// Shows a stream that comes in pieces to somebody who takes it in larger or smaller ones: in place
// where a piece has all that is needed, and put together where it does not. Only what is left at
// the end of a piece is kept.
//
// Thread: one at a time; a value.
#pragma once

#include <algorithm>

#include <nio/base/Bytes.h>

namespace load {

class StreamTail {
  public:
    // What was taken of the bytes shown, and how many must be there, from then on, to take more:
    // more than there are.
    struct Progress {
        std::size_t used;
        std::size_t wanted;
    };

    // Calls take(nio::ByteView) -> Progress as often as it takes.
    template <class Take>
    void feed(nio::ByteView piece, Take take) {
        while (!tail_.empty() && !piece.empty()) piece = join(piece, take);
        if (piece.empty()) return;
        const Progress progress = take(piece);
        const nio::ByteView rest = piece.subspan(progress.used);
        tail_.assign(rest.begin(), rest.end());
        wanted_ = progress.wanted;
    }

    std::size_t size() const { return tail_.size(); }

  private:
    // Returns what of the piece is still to be shown.
    template <class Take>
    nio::ByteView join(nio::ByteView piece, Take take) {
        const std::size_t count = std::min(wanted_ - tail_.size(), piece.size());
        tail_.reserve(wanted_);
        tail_.insert(tail_.end(), piece.begin(),
                     piece.begin() + static_cast<std::ptrdiff_t>(count));
        const Progress progress = take(nio::ByteView(tail_));
        const std::size_t left = tail_.size() - progress.used;
        // What is left is all of this piece: it can be seen there.
        if (left <= count) {
            forget();
            return piece.subspan(count - left);
        }
        tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(progress.used));
        wanted_ = progress.wanted;
        return piece.subspan(count);
    }

    // An idle connection holds no large buffer.
    void forget() {
        constexpr std::size_t small = 4096;
        tail_.clear();
        if (tail_.capacity() > small) tail_ = {};
    }

    nio::Bytes tail_;
    std::size_t wanted_ = 0;
};

}  // namespace load
