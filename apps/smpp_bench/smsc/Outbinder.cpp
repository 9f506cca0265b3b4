#include "smpp_bench/smsc/Outbinder.h"

namespace smppbench {

Outbinder::Outbinder(nio::SelectorThread& thread, const std::string& address, Made made)
    : address_(nio::SocketAddress::parse(address).orThrow()),
      made_(std::move(made)),
      connector_(thread, *this),
      again_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          connect();
      }) {}

void Outbinder::connectSoon() {
    again_.wakeAfter(std::chrono::milliseconds(200));
}

}  // namespace smppbench
