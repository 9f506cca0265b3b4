#include <nio/dispatch/SelectorHandlers.h>

#include <nio/dispatch/SelectorThread.h>
#include <nio/dispatch/TypeName.h>

namespace nio {

std::string SelectorHandler::name() const {
    return typeName(&typeid(*this));
}

void AcceptSelectorHandler::handleFailure(std::exception_ptr) {
    dispatcher().addChannelInterestNow(channel(), Interest::accept);
}

}  // namespace nio
