#include <nio/net/SignalHandler.h>

#include <nio/loop/SelectorThread.h>

namespace nio {

void SignalChannel::close() {
    kernel::forgetSignalDescriptor(fd());
    SelectableChannel::close();
}

Result<void> SignalHandler::block(std::initializer_list<int> signals) {
    return kernel::catchSignals(signals);
}

Result<std::unique_ptr<SignalHandler>> SignalHandler::open(std::initializer_list<int> signals,
                                                           Function onSignal) {
    Result<UniqueFd> fd = kernel::createSignalDescriptor(signals);
    if (!fd) return fd.error();
    return std::unique_ptr<SignalHandler>(
        new SignalHandler(std::move(fd).value(), std::move(onSignal)));
}

void SignalHandler::handleRead() {
    dispatcher().addChannelInterestNow(channel_, Interest::read);
    while (const int signal = channel_.next()) onSignal_(signal);
}

}  // namespace nio
