// From dispatcher to dispatcher: what is for this one happens at once, what is for another is
// posted. The order between the same two stays.
//
// Thread: any dispatcher's. False: it has stopped; `task` is untouched. A full queue refuses
// nothing here: who waits for an answer would wait for ever. What begins something new is for
// invokeLater.
#pragma once

#include <nio/loop/SelectorThread.h>

namespace router {

// The same, but never at once.
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
