#include <nio/tasks/TaskList.h>

namespace nio {

TaskList::~TaskList() {
    while (!isEmpty()) {
        if (takePrepared() == nullptr) removeFirst();
    }
}

void TaskList::recycle() noexcept {
    adding_ = addAt_ = reading_ = readAt_ = removed_ = 0;
    if (chunks_.empty()) return;
    chunks_.front()->end = Chunk::open;
    if (chunks_.size() <= keptChunks) return;
    chunks_.resize(keptChunks);
    chunks_.shrink_to_fit();
}

void TaskList::swap(TaskList& other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(size_, other.size_);
    std::swap(adding_, other.adding_);
    std::swap(addAt_, other.addAt_);
    std::swap(roomAt_, other.roomAt_);
    std::swap(reading_, other.reading_);
    std::swap(readAt_, other.readAt_);
    std::swap(removed_, other.removed_);
    prepared_.swap(other.prepared_);
    std::swap(lastPrepared_, other.lastPrepared_);
}

void TaskList::addPrepared(std::shared_ptr<PreparedTask> task) noexcept {
    PreparedTask* const last = task.get();
    last->place_ = removed_ + size_;
    (prepared_ == nullptr ? prepared_ : lastPrepared_->next_) = std::move(task);
    lastPrepared_ = last;
    ++size_;
}

std::shared_ptr<PreparedTask> TaskList::takeFirstPrepared() noexcept {
    std::shared_ptr<PreparedTask> first = std::move(prepared_);
    prepared_ = std::move(first->next_);
    --size_;
    ++removed_;
    return first;
}

void TaskList::addToNextChunk() {
    const std::size_t next = roomAt_ == 0 ? 0 : adding_ + 1;
    // Not value-initialised: 16 KiB of zeros nobody looks at.
    if (next == chunks_.size()) chunks_.push_back(std::unique_ptr<Chunk>(new Chunk));
    chunks_[next]->end = Chunk::open;
    if (roomAt_ != 0) {
        chunks_[adding_]->end = addAt_;
        const bool nothingLeft = reading_ == adding_ && readAt_ == addAt_;
        if (nothingLeft) readNextChunk();
    }
    adding_ = next;
    addAt_ = 0;
    roomAt_ = sizeof(Chunk::bytes);
}

void TaskList::readNextChunk() {
    ++reading_;
    readAt_ = 0;
}

}  // namespace nio
