#include "common/http/HttpResponder.h"

#include <cassert>
#include <utility>

#include <nio/loop/SelectorThread.h>

#include "common/http/HttpConnection.h"

namespace apps {

HttpResponder::~HttpResponder() {
    if (queue_ != nullptr) answer(HttpResponse::plain(500));
}

HttpResponder& HttpResponder::operator=(HttpResponder&& other) noexcept {
    if (this == &other) return *this;
    if (queue_ != nullptr) answer(HttpResponse::plain(500));
    queue_ = std::move(other.queue_);
    connection_ = other.connection_;
    request_ = other.request_;
    return *this;
}

void HttpResponder::answer(HttpResponse response) {
    assert(queue_ != nullptr);
    auto deliver = [connection = connection_, request = request_, response = std::move(response)] {
        nio::onDispatcher.assertCurrent();
        HttpConnection* const found = HttpConnection::findNow(connection);
        if (found != nullptr) found->answer(request, response);
    };
    // Refused only when the dispatcher has stopped; its connections are gone then.
    (void)std::exchange(queue_, nullptr)
        ->push(std::move(deliver), nio::TaskQueue::Post::exempt)
        .ok();
}

}  // namespace apps
