// From dispatcher to dispatcher: what is for this one happens at once, what is for another is
// posted. The order between the same two stays.
//
// Thread: any dispatcher's. False: it has stopped, or its queue is full; `task` is untouched.
#pragma once

#include <nio/dispatch/SelectorThread.h>

namespace router {

template <class F>
[[nodiscard]] bool post(nio::SelectorThread& to, F&& task) {
    if (!to.isCurrent()) return to.invokeLater(std::forward<F>(task));
    task();
    return true;
}

}  // namespace router
