#include <nio/base/ThreadRole.h>

namespace nio {

namespace {

std::string here() {
    const DispatcherIdentity* current = DispatcherIdentity::current();
    if (current == nullptr) return "outside of any dispatcher's turn";
    return "in a turn of dispatcher '" + current->name() + "'";
}

}  // namespace

constinit thread_local const DispatcherIdentity* DispatcherIdentity::current_ = nullptr;

void ThreadRole::assertCurrent() const {
    if (DispatcherIdentity::current() == nullptr) {
        throw WrongThreadError("code that must run on a dispatcher runs " + here());
    }
}

void DispatcherIdentity::refuse(const char* call) const {
    throw WrongThreadError(std::string(call) + " on dispatcher '" + name_ + "' was called " +
                           here() + "; use the Later form or invokeLater");
}

}  // namespace nio
