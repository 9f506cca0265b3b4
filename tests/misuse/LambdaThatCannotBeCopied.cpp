// A lambda that owns something that cannot be copied is refused where it is given.
#include <nio/net/HandlerFactories.h>

void serve() {
    auto owns = [own = std::make_unique<int>(1)](auto&, nio::ByteView) { (void)*own; };
    (void)nio::packetHandlers({}, std::move(owns));  // must not compile: copyable lambda
    (void)owns;
}
