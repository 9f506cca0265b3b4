#include <nio/dispatch/SelectorHandlers.h>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

std::string SelectorHandler::name() const {
    int status = 0;
    const char* mangled = typeid(*this).name();
    const std::unique_ptr<char, void (*)(void*)> plain(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
    return plain != nullptr ? plain.get() : mangled;
}

void AcceptSelectorHandler::handleFailure(std::exception_ptr) {
    dispatcher().addChannelInterestNow(channel(), Interest::accept);
}

}  // namespace nio
