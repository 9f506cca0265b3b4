#include "echo_client/misbehave/MisbehaviourFigures.h"

#include <algorithm>

namespace load {

void MisbehaviourFigures::connectFailed(const nio::Error& error) {
    ++connectsFailed;
    ++errors["connect: " + error.code().message()];
    if (errorExample.empty()) errorExample = error.message();
}

void MisbehaviourFigures::failed(const std::string& reason) {
    ++errors[reason];
    if (errorExample.empty()) errorExample = reason;
}

void MisbehaviourFigures::merge(const MisbehaviourFigures& other) {
    connect.merge(other.connect);
    kept.merge(other.kept);
    connectsFailed += other.connectsFailed;
    over += other.over;
    closedByServer += other.closedByServer;
    resetByServer += other.resetByServer;
    keptToTheEnd += other.keptToTheEnd;
    bytesSent += other.bytesSent;
    bytesReceived += other.bytesReceived;
    largestQueue = std::max(largestQueue, other.largestQueue);
    echoes += other.echoes;
    wrongAnswers += other.wrongAnswers;
    unanswered += other.unanswered;
    for (const auto& [reason, count] : other.errors) errors[reason] += count;
    if (wrongAnswerExample.empty()) wrongAnswerExample = other.wrongAnswerExample;
    if (errorExample.empty()) errorExample = other.errorExample;
}

}  // namespace load
