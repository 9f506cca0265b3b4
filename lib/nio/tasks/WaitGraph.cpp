#include <nio/tasks/WaitGraph.h>

#include <mutex>
#include <unordered_map>

namespace nio {

namespace {

using Identity = const DispatcherIdentity*;

// A dispatcher waits for one other at most: it is blocked while it does.
struct Waits {
    std::mutex mutex;
    std::unordered_map<Identity, Identity> target;

    bool leads(Identity from, Identity to) const {
        while (from != to) {
            const auto found = target.find(from);
            if (found == target.end()) return false;
            from = found->second;
        }
        return true;
    }
};

Waits& waits() {
    static Waits* const instance = new Waits;
    return *instance;
}

}  // namespace

WaitGraph::Edge::Edge(Identity from, const DispatcherIdentity& to) : from_(from) {
    if (from_ == nullptr) return;
    std::lock_guard lock(waits().mutex);
    refused_ = waits().leads(&to, from_);
    if (!refused_) waits().target[from_] = &to;
}

WaitGraph::Edge::~Edge() {
    if (from_ == nullptr || refused_) return;
    std::lock_guard lock(waits().mutex);
    waits().target.erase(from_);
}

}  // namespace nio
