#include "common/http/HttpResponder.h"

#include <cassert>
#include <utility>

#include <nio/loop/SelectorThread.h>

#include "common/http/HttpConnection.h"

namespace apps {

HttpResponder::~HttpResponder() {
    giveUp();
}

// Not told: what listens may be gone when this is thrown away late.
void HttpResponder::giveUp() {
    told_ = nullptr;
    if (queue_ != nullptr) answer({500});
}

HttpResponder& HttpResponder::operator=(HttpResponder&& other) noexcept {
    if (this == &other) return *this;
    giveUp();
    queue_ = std::move(other.queue_);
    connection_ = other.connection_;
    request_ = other.request_;
    told_ = std::move(other.told_);
    return *this;
}

void HttpResponder::answer(HttpResponse response) {
    assert(queue_ != nullptr);
    if (told_) told_(response.status);
    auto deliver = [connection = connection_, request = request_,
                    response = std::move(response)]() mutable {
        nio::onDispatcher.assertCurrent();
        HttpConnection* const found = HttpConnection::findNow(connection);
        if (found != nullptr) found->answer(request, std::move(response));
    };
    // Refused only when the dispatcher has stopped; its connections are gone then.
    (void)std::exchange(queue_, nullptr)
        ->push(std::move(deliver), nio::TaskQueue::Post::exempt)
        .ok();
}

}  // namespace apps
