// A connection as other threads see it: a value to keep, copy and send by.
//
//     nio::PacketHandle one = peer.handle();          in opened(auto& peer), say
//     if (!one.send("news")) ...                      in any thread
//
// handle() of a pipeline gives a PipelineHandle, which is also an ItemHandle of what the
// application sends: all connections that send bytes have a PacketHandle, whatever their stages
// are.
//
// Thread: any. Lifetime: must not be used after the connection's dispatcher is destroyed.
#pragma once

#include <memory>
#include <utility>

#include <nio/connection/Peer.h>
#include <nio/loop/SelectorThread.h>
#include <nio/pipeline/Stage.h>

namespace nio {

namespace pipelines {

template <class Item>
class PostedItemOf final : public PostedItem {
  public:
    PostedItemOf(std::shared_ptr<PostedOutput> posted, const Carried<Item>& item)
        : PostedItem(std::move(posted)), item_(owned(item)) {}

    static std::size_t memoryOf(const Carried<Item>& item) {
        return sizeof(PostedItemOf) + heldBytes(item);
    }
    const Owned<Item>& item() const { return item_; }

  private:
    static Owned<Item> owned(const Carried<Item>& item) {
        if constexpr (isBytes<Item>) {
            return copyOf(item);
        } else {
            return item;
        }
    }

    const Owned<Item> item_;
};

}  // namespace pipelines

template <class Item>
class ItemHandle : public ChannelHandle {
  public:
    ItemHandle() = default;  // of no connection

    // Sends a copy in a turn of the connection's dispatcher, through all stages, as the pipeline's
    // send() does. Items of one thread keep their order. If the connection has ended by then, or
    // another handler has its channel, the item is dropped.
    // An item counts against StreamOptions::outputHighMark, outputLimit and the memory budget from
    // now on, with what it takes to queue it.
    // Errors; nothing is sent then, and `done` is not called: operation_would_block (above the
    // high-water mark, or the budget pauses reads: try again later), outputLimit (the item alone
    // exceeds it), notRegistered (the connection has ended, or the handle is empty), stopped,
    // queueFull (SelectorThreadOptions::maxQueuedTasks). Throws std::bad_alloc likewise.
    Result<void> send(const auto& item) const { return post(pipelines::carry<Item>(item), {}); }
    // Calls `done` once on the dispatcher `sender`: without an error when the kernel has accepted
    // the item and all other output, with the reason if the item was dropped (handlerFailed: a
    // stage has thrown; the connection goes on if none of the item was sent). On io_uring, output
    // counts as accepted when it is handed over; if that send fails, only the connection is told.
    // Output that replaceWith() hands over is told as dropped (notRegistered), although it is sent.
    // `done` is not called if `sender` stops before.
    Result<void> send(const auto& item, SelectorThread& sender, SendDone done) const {
        return post(pipelines::carry<Item>(item), SendResult(sender.queue(), std::move(done)));
    }

    // After operation_would_block: calls `told` once on the dispatcher `sender` when there is room:
    // the output has fallen to the low-water mark, what is in flight to half the high-water mark
    // (to nothing, if a refused item needs all of outputLimit), and the memory budget does not
    // pause reads. Called, too, when the connection migrates. Others may be faster, so send() may
    // be refused again. Called with the reason if the connection ends first (notRegistered: it had
    // ended before). Errors: notRegistered (the handle is empty), stopped, queueFull; `told` is not
    // called then. Throws std::bad_alloc likewise.
    Result<void> whenWritable(SelectorThread& sender, SendDone told) const {
        return await(SendResult(sender.queue(), std::move(told)), &Peer::awaitWritable);
    }
    // Calls `told` once on the dispatcher `watcher` when the connection has ended: without an error
    // if it was closed in order, else with the reason; notRegistered: it had ended before, or
    // another handler has its channel. Errors: as whenWritable().
    Result<void> whenClosed(SelectorThread& watcher, SendDone told) const {
        return await(SendResult(watcher.queue(), std::move(told)), &Peer::awaitClosed);
    }

  protected:
    ItemHandle(ChannelHandle channel, std::shared_ptr<PostedOutput> posted)
        : ChannelHandle(channel), posted_(std::move(posted)) {}

    const std::shared_ptr<PostedOutput>& posted() const { return posted_; }

  private:
    Result<void> post(const pipelines::Carried<Item>& item, SendResult result) const;
    Result<void> await(SendResult result, void (Peer::*take)(PostedItem&)) const;

    std::shared_ptr<PostedOutput> posted_;
};

// Of connections that send bytes.
using PacketHandle = ItemHandle<Packet>;

template <class Pipeline>
class PipelineHandle : public ItemHandle<typename Pipeline::Posted> {
  public:
    PipelineHandle() = default;
    PipelineHandle(ChannelHandle channel, std::shared_ptr<PostedOutput> posted)
        : ItemHandle<typename Pipeline::Posted>(channel, std::move(posted)) {}

    // Runs `task` in a turn of the connection's dispatcher, if the connection is still there.
    // False: stopped, queueFull, or the handle is empty.
    [[nodiscard]] bool invokeLater(UniqueFunction<void(Pipeline&)> task) const {
        if (this->dispatcher() == nullptr) return false;
        auto here = [posted = this->posted(),
                     task = std::move(task)](SelectorHandler& handler) mutable {
            if (posted->isOf(handler)) task(static_cast<Pipeline&>(handler));
        };
        return this->dispatcher()->invokeLater(*this, std::move(here));
    }
};

template <class Item>
Result<void> ItemHandle<Item>::post(const pipelines::Carried<Item>& item, SendResult result) const {
    using Posted = pipelines::PostedItemOf<Item>;
    if (posted_ == nullptr) return Error(Errc::notRegistered, "send");
    const std::size_t bytes = Posted::memoryOf(item);
    Result<void> reserved = posted_->reserve(bytes);
    if (!reserved) return reserved;
    std::shared_ptr<PostedItem> made;
    try {
        made = std::make_shared<Posted>(posted_, item);
    } catch (...) {
        posted_->release(bytes);
        throw;
    }
    // A refused task is destroyed under the queue's lock: the item must outlive it.
    made->arm(bytes, std::move(result));
    return Peer::post(*this, made, &Peer::deliver);
}

template <class Item>
Result<void> ItemHandle<Item>::await(SendResult result, void (Peer::*take)(PostedItem&)) const {
    if (posted_ == nullptr) return Error(Errc::notRegistered, "send");
    const auto made = std::make_shared<PostedItem>(posted_);
    made->arm(0, std::move(result));
    return Peer::post(*this, made, take);
}

}  // namespace nio
