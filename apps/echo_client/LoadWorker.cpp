#include "echo_client/LoadWorker.h"

#include "echo_client/PacketConnection.h"
#include "echo_client/RawConnection.h"

namespace load {

LoadWorker::LoadWorker(nio::SelectorThread& thread, const LoadPlan& plan,
                       LoadWorkerListener& listener, std::size_t index, std::size_t workers)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      index_(index),
      dialer_(thread, plan, *this, index, workers) {}

LoadWorker::~LoadWorker() = default;

// --- what the generator asks for ------------------------------------------------------------

void LoadWorker::connectNow() {
    if (phase_ == Phase::connecting) dialer_.startNow();
}

void LoadWorker::sendNow() {
    if (phase_ != Phase::idle) return;
    phase_ = Phase::sending;
    for (LoadConnection* connection : open_) {
        nio::onDispatcher.assertCurrent();
        connection->fill();
    }
    finishIfEmpty();
}

void LoadWorker::measureNow() {
    handFiguresOver();
    measuring_ = phase_ == Phase::sending;
}

void LoadWorker::reportNow() {
    handFiguresOver();
}

void LoadWorker::stopNow() {
    if (phase_ >= Phase::stopping) return;
    dialer_.stopNow();
    handFiguresOver();
    measuring_ = false;
    phase_ = Phase::stopping;
    for (LoadConnection* connection : open_) {
        nio::onDispatcher.assertCurrent();
        if (connection->outstanding() == 0) connection->finish();
    }
    finishIfEmpty();
}

void LoadWorker::giveUpNow() {
    if (phase_ == Phase::closing) return;
    phase_ = Phase::closing;
    for (LoadConnection* connection : open_) {
        nio::onDispatcher.assertCurrent();
        figures_->errors.timedOut += connection->outstanding();
        connection->finish();
    }
}

// --- connections ----------------------------------------------------------------------------

void LoadWorker::dialed(std::size_t connection, nio::SocketChannel channel,
                        nio::Clock::duration took) {
    const nio::Result<void> registered = registerConnection(connection, std::move(channel));
    if (!registered) return dialFailed(registered.error());
    figures_->connect.record(took);
}

nio::Result<void> LoadWorker::registerConnection(std::size_t connection,
                                                 nio::SocketChannel channel) {
    const bool raw = plan_.options().framing == apps::Framing::raw;
    std::unique_ptr<nio::StreamHandler> handler;
    if (raw) {
        handler = std::make_unique<RawConnection>(std::move(channel), *this, connection);
    } else {
        handler = PacketConnection::make(std::move(channel), *this, connection);
    }
    auto registered = thread_.registerChannelNow(std::move(handler), nio::Interest::read);
    if (!registered) return registered.error();
    return {};
}

void LoadWorker::dialFailed(const nio::Error& error) {
    figures_->errors.connectFailed(error);
}

void LoadWorker::dialingOver() {
    if (phase_ != Phase::connecting) return;
    phase_ = Phase::idle;
    handFiguresOver();
    listener_.workerConnected(open_.size());
}

void LoadWorker::connectionOpened(LoadConnection& connection) {
    connection.place = open_.size();
    open_.push_back(&connection);
}

void LoadWorker::connectionClosed(LoadConnection& connection) {
    open_.back()->place = connection.place;
    open_[connection.place] = open_.back();
    open_.pop_back();
    finishIfEmpty();
}

void LoadWorker::finishIfEmpty() {
    if (!open_.empty() || finished_ || phase_ < Phase::sending) return;
    finished_ = true;
    handFiguresOver();
    listener_.workerFinished();
}

// --- figures --------------------------------------------------------------------------------

void LoadWorker::handFiguresOver() {
    const nio::TimePoint now = nio::Clock::now();
    figures_->measured = measuring_;
    if (measuring_) figures_->covered = now - figuresSince_;
    figuresSince_ = now;
    listener_.workerReported(index_, std::exchange(figures_, std::make_unique<LoadFigures>()));
}

}  // namespace load
