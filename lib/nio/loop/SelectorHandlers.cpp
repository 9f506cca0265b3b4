#include <nio/loop/SelectorHandlers.h>

#include <nio/base/TypeName.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

std::string SelectorHandler::name() const {
    return typeName(&typeid(*this));
}

void AcceptSelectorHandler::handleFailure(std::exception_ptr) {
    dispatcher().addChannelInterestNow(channel(), Interest::accept);
}

}  // namespace nio
