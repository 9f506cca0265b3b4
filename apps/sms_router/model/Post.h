// How messages and answers cross from dispatcher to dispatcher: a new message is handed over, which
// a full queue refuses; an answer is posted or told, which only a dispatcher that has stopped
// refuses, since its receiver would wait for ever. What is for this dispatcher happens at once. The
// order between the same two stays.
//
// Thread: any dispatcher's. False: refused; the message or the task is untouched.
#pragma once

#include <memory>
#include <utility>

#include <nio/loop/SelectorThread.h>

namespace router {

// Never at once.
template <class F>
[[nodiscard]] bool postLater(nio::SelectorThread& to, F&& task) {
    return to.queue()->push(std::forward<F>(task), nio::TaskQueue::Post::exempt).ok();
}

template <class F>
[[nodiscard]] bool post(nio::SelectorThread& to, F&& task) {
    if (!to.isCurrent()) return postLater(to, std::forward<F>(task));
    task();
    return true;
}

// A message for one that lives as long as the router: handOver<&Egress::submitNow>(connector,
// submission).
template <auto Member, class T, class Message>
[[nodiscard]] bool handOver(T& to, Message& message) {
    if (to.dispatcher().isCurrent()) {
        nio::onDispatcher.assertCurrent();
        (to.*Member)(std::move(message));
        return true;
    }
    auto owned = std::make_unique<Message>(std::move(message));
    Message& handed = *owned;
    auto hand = [&to, owned = std::move(owned)] {
        nio::onDispatcher.assertCurrent();
        (to.*Member)(std::move(*owned));
    };
    if (to.dispatcher().invokeLater(std::move(hand))) return true;
    message = std::move(handed);
    return false;
}

// A call of a member of one that lives as long as the router: tell<&AccountDesk::leaveNow>(desk,
// link). Dropped when its dispatcher has stopped.
template <auto Member, class T, class... Arguments>
void tell(T& object, Arguments... arguments) {
    auto call = [&object, arguments...] {
        nio::onDispatcher.assertCurrent();
        (object.*Member)(arguments...);
    };
    (void)post(object.dispatcher(), std::move(call));
}

}  // namespace router
