#include "sms_router/egress/SmscLink.h"

#include <nio/loop/SelectorThread.h>

#include "sms_router/egress/SmscConnector.h"

namespace router {

namespace {

std::string whyUnbound(smpp::Command bind, smpp::Status status, const smpp::Pdu* answer) {
    if (answer == nullptr) return "the answer to the bind is malformed: " + smpp::nameOf(status);
    const smpp::Command command = answer->command();
    if (command == smpp::responseTo(bind)) return "the bind was refused: " + smpp::nameOf(status);
    return "the bind was answered with " + std::string(smpp::nameOf(command)) + ": " +
           smpp::nameOf(answer->status());
}

}  // namespace

SmscLink::SmscLink(std::shared_ptr<const smpp::SessionOptions> options,
                   smpp::SmppSession::BindRequest bind, bool awaitsOutbind, SmscConnector& owner)
    : SmppLink(std::move(options)),
      bind_(std::move(bind)),
      awaitsOutbind_(awaitsOutbind),
      owner_(owner) {}

SmscLink* SmscLink::findNow(nio::ChannelHandle handle) {
    return static_cast<SmscLink*>(SmppLink::findNow(handle));
}

void SmscLink::opened() {
    if (!awaitsOutbind_) session().bind(bind_, smppNow());
}

void SmscLink::closed(const std::string& why) {
    owner_.linkClosed(*this, refusal_.empty() ? why : refusal_);
}

void SmscLink::bindAnswered(smpp::Status status, const smpp::Pdu* answer) {
    nio::onDispatcher.assertCurrent();
    if (status == smpp::Status::ok) {
        if (isOpen()) connection()->setEvictFirst(false);
        return owner_.linkBound(*this);
    }
    refusal_ = whyUnbound(bind_.kind, status, answer);
    bindRefusal_ = status;
}

void SmscLink::outbindArrived(const smpp::Pdu&) {
    nio::onDispatcher.assertCurrent();
    if (!awaitsOutbind_) return closeNow();
    session().bind(bind_, smppNow());
    rearm();
}

void SmscLink::requestArrived(const smpp::Pdu& request) {
    nio::onDispatcher.assertCurrent();
    owner_.requestArrived(*this, request);
}

void SmscLink::responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) {
    nio::onDispatcher.assertCurrent();
    owner_.answerArrived(answer, cookie);
}

void SmscLink::requestLost(smpp::Cookie cookie, smpp::Lost how, smpp::Status status) {
    nio::onDispatcher.assertCurrent();
    // A nack has no body that could tell more.
    const std::optional<smpp::Header> answer = smpp::Header::read(taken());
    const bool isOfAnother = how == smpp::Lost::nacked && status == smpp::Status::invCmdId &&
                             answer && smpp::isKnown(answer->command) &&
                             answer->command != smpp::Command::genericNack;
    if (isOfAnother) owner_.malformedArrived(*this, status, taken());
    owner_.requestLost(cookie, how, status);
}

void SmscLink::unexpectedArrived(nio::ByteView octets) {
    owner_.malformedArrived(*this, smpp::Status::invBndSts, octets);
}

void SmscLink::malformedArrived(smpp::Status problem, nio::ByteView octets) {
    nio::onDispatcher.assertCurrent();
    noteReported();
    owner_.malformedArrived(*this, problem, octets);
}

void SmscLink::unbindArrived() {
    nio::onDispatcher.assertCurrent();
    owner_.linkLeaves();
}

void SmscLink::makeWayNow() {
    refusal_ = "no outbind came before another connection needed its place";
    closeNow();
}

}  // namespace router
