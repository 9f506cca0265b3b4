// Posted tasks in FIFO order, one behind the other in chunks that never move: adding a task moves
// no other, and a task runs in place. recycle() frees the chunks of a burst, except a few.
//
// A callable of up to 504 bytes is stored in the list; a larger one, or one aligned more strictly
// than a pointer, costs an allocation. A PreparedTask is linked in and costs none.
//
// Thread: one at a time.
// Limit: keptChunks chunks are kept, the rest is freed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <nio/base/UniqueFunction.h>

namespace nio {

using Task = UniqueFunction<void()>;

// A task in its list, to be run once.
class PostedTask {
  public:
    void operator()() { operations_.run(*this); }
    PostedTask(const PostedTask&) = delete;
    PostedTask& operator=(const PostedTask&) = delete;

  protected:
    struct Operations {
        void (*run)(PostedTask&);
        void (*destroy)(PostedTask&) noexcept;
        std::size_t bytes;
    };
    explicit PostedTask(const Operations& operations) : operations_(operations) {}
    ~PostedTask() = default;

  private:
    friend class TaskList;
    const Operations& operations_;
};

// A task allocated before it is posted, so that posting it needs no memory. Its owner may post it
// any number of times; posts while it is queued coalesce into one run.
//
// Lifetime: shared by its owner and the queue where it waits.
class PreparedTask : public PostedTask {
  public:
    virtual ~PreparedTask() = default;

  protected:
    PreparedTask() : PostedTask(operations) {}

    virtual void perform() = 0;

  private:
    friend class TaskList;
    friend class TaskQueue;

    static void runThis(PostedTask& task) { static_cast<PreparedTask&>(task).perform(); }
    // Hidden, and so below: see UniqueFunction.
    [[gnu::visibility("hidden")]] static constexpr Operations operations{&runThis, nullptr, 0};

    std::atomic<bool> isQueued_{false};
    // Used by its list.
    std::size_t place_ = 0;
    std::shared_ptr<PreparedTask> next_{};
};

class TaskList {
  public:
    static constexpr std::size_t chunkBytes = 16 * 1024;
    static constexpr std::size_t keptChunks = 16;

    TaskList() = default;
    TaskList(const TaskList&) = delete;
    TaskList& operator=(const TaskList&) = delete;
    ~TaskList();

    std::size_t size() const { return size_; }
    bool isEmpty() const { return size_ == 0; }
    std::size_t chunkCount() const { return chunks_.size(); }

    // `callable` may also be something that converts to a Task.
    template <class F>
    void add(F&& callable) {
        using Entry = Record<Stored<std::decay_t<F>>>;
        new (placeFor(sizeof(Entry))) Entry(std::forward<F>(callable));
        addAt_ += sizeof(Entry);
        ++size_;
    }
    // Adds a task that is in no list.
    void addPrepared(std::shared_ptr<PreparedTask> task) noexcept;

    // Removes and returns the first task if it is a prepared one, else null.
    std::shared_ptr<PreparedTask> takePrepared() noexcept {
        if (prepared_ == nullptr || prepared_->place_ != removed_) return nullptr;
        return takeFirstPrepared();
    }

    // Requires a first task that is not a prepared one. It stays in the list until removeFirst().
    PostedTask& first() {
        return *std::launder(reinterpret_cast<PostedTask*>(&chunks_[reading_]->bytes[readAt_]));
    }
    void removeFirst() {
        PostedTask& done = first();
        readAt_ += done.operations_.bytes;
        --size_;
        ++removed_;
        if (readAt_ == chunks_[reading_]->end) readNextChunk();
        done.operations_.destroy(done);
    }

    // Requires an empty list. Its chunks are reused; those above keptChunks are freed.
    void recycle() noexcept;
    void swap(TaskList& other) noexcept;

  private:
    static constexpr std::size_t mostBytes = 512;

    template <class F>
    class Record final : public PostedTask {
      public:
        template <class From>
        explicit Record(From&& from)
            : PostedTask(operationsOf<F>), callable_(std::forward<From>(from)) {}

        static void runThis(PostedTask& task) { static_cast<Record&>(task).callable_(); }
        static void destroyThis(PostedTask& task) noexcept { static_cast<Record&>(task).~Record(); }

      private:
        F callable_;
    };

    template <class F>
    [[gnu::visibility("hidden")]] static constexpr PostedTask::Operations operationsOf{
        &Record<F>::runThis, &Record<F>::destroyThis, sizeof(Record<F>)};

    template <class F>
    static constexpr bool fits = std::is_invocable_v<F&> && alignof(F) <= alignof(void*) &&
                                 sizeof(F) + sizeof(void*) <= mostBytes;
    template <class F>
    using Stored = std::conditional_t<fits<F>, F, Task>;

    struct Chunk {
        static constexpr std::size_t open = SIZE_MAX;
        std::size_t end = open;  // of its tasks; the next chunk follows
        alignas(void*) std::byte bytes[chunkBytes - sizeof(std::size_t)];
    };

    void* placeFor(std::size_t bytes) {
        if (addAt_ + bytes > roomAt_) addToNextChunk();
        return &chunks_[adding_]->bytes[addAt_];
    }
    void addToNextChunk();
    void readNextChunk();
    std::shared_ptr<PreparedTask> takeFirstPrepared() noexcept;

    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::size_t size_ = 0;
    std::size_t adding_ = 0;  // the chunk's index,
    std::size_t addAt_ = 0;   // and the place in it
    std::size_t roomAt_ = 0;  // 0: there is no chunk
    std::size_t reading_ = 0;
    std::size_t readAt_ = 0;
    std::size_t removed_ = 0;                   // since the list was recycled
    std::shared_ptr<PreparedTask> prepared_{};  // the first of them, each with its place
    PreparedTask* lastPrepared_ = nullptr;
};

}  // namespace nio
