#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

MisbehaviourWorker::MisbehaviourWorker(nio::SelectorThread& thread, const MisbehaviourPlan& plan,
                                       MisbehaviourWorkerListener& listener, std::size_t index,
                                       std::size_t workers)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      dialer_(thread, plan, *this, Share{index, workers}),
      watch_(thread, open_) {}

// --- what is asked for ----------------------------------------------------------------------

void MisbehaviourWorker::startNow() {
    if (stopping_) return;
    if (plan_.isDeaf()) watch_.start();
    dialer_.startNow();
}

void MisbehaviourWorker::stopNow() {
    if (std::exchange(stopping_, true)) return;
    dialer_.stopNow();
    dialing_ = false;
    if (plan_.isDeaf()) watch_.look();
    // Some leave the list meanwhile; they are destroyed only after this turn.
    for (BadConnection* connection : std::vector(open_)) {
        nio::onDispatcher.assertCurrent();
        connection->finish();
    }
    finishIfEmpty();
}

void MisbehaviourWorker::giveUpNow() {
    for (BadConnection* connection : std::vector(open_)) {
        nio::onDispatcher.assertCurrent();
        connection->abort();
    }
}

void MisbehaviourWorker::reportNow() {
    for (BadConnection* connection : open_) connection->countSent();
    listener_.workerReported(std::exchange(figures_, std::make_unique<MisbehaviourFigures>()));
}

// --- connections ----------------------------------------------------------------------------

void MisbehaviourWorker::dialed(std::size_t connection, nio::SocketChannel channel,
                                nio::Clock::duration took) {
    auto registered = thread_.registerChannelNow(
        BadConnection::make(std::move(channel), *this, connection), nio::Interest::read);
    if (!registered) return dialFailed(registered.error());
    figures_->connect.record(took);
}

void MisbehaviourWorker::dialFailed(const nio::Error& error) {
    figures_->connectFailed(error);
}

void MisbehaviourWorker::dialingOver() {
    dialing_ = false;
    listener_.workerConnected();
    finishIfEmpty();
}

void MisbehaviourWorker::connectionOpened(BadConnection& connection) {
    connection.place = open_.size();
    open_.push_back(&connection);
}

void MisbehaviourWorker::connectionClosed(BadConnection& connection) {
    open_.back()->place = connection.place;
    open_[connection.place] = open_.back();
    open_.pop_back();
    finishIfEmpty();
}

void MisbehaviourWorker::finishIfEmpty() {
    if (dialing_ || !open_.empty() || std::exchange(finished_, true)) return;
    watch_.stop();
    reportNow();
    listener_.workerFinished();
}

}  // namespace load
