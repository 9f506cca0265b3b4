// The right to answer one request, once: at once or later, from wherever the answer is found.
//
// One that goes without an answer says 500: no client waits for ever. An answer to a connection
// that is closed meanwhile is dropped.
//
// Thread: any, one at a time.
// Lifetime: may outlive connection and server; an answer after the dispatcher has gone is dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <nio/base/UniqueFunction.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/tasks/TaskQueue.h>

#include "common/http/HttpResponse.h"

namespace apps {

class HttpResponder {
  public:
    // Request number `request` of that connection.
    HttpResponder(std::shared_ptr<nio::TaskQueue> queue, nio::ChannelHandle connection,
                  std::uint64_t request)
        : queue_(std::move(queue)), connection_(connection), request_(request) {}
    HttpResponder(HttpResponder&&) noexcept = default;
    HttpResponder& operator=(HttpResponder&& other) noexcept;
    ~HttpResponder();

    // The client's: the same for all requests of a connection.
    const nio::ChannelHandle& connection() const { return connection_; }

    // `told` hears the status of the answer, inside answer(); nothing where there is no answer.
    void watch(nio::UniqueFunction<void(int status)> told) { told_ = std::move(told); }

    // At most once. The answer is sent in a turn of the connection's dispatcher, never inside this
    // call.
    void answer(HttpResponse response);

  private:
    void giveUp();

    std::shared_ptr<nio::TaskQueue> queue_;  // null: has answered
    nio::ChannelHandle connection_;
    std::uint64_t request_;
    nio::UniqueFunction<void(int status)> told_;
};

}  // namespace apps
