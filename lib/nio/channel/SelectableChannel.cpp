#include <nio/channel/SelectableChannel.h>

namespace nio {

SelectableChannel::SelectableChannel(SelectableChannel&& other) {
    if (other.registration_ != nullptr) {
        registration_ = &other.registrationFor("moving a channel");
        registration_->channelMoved(*this);
        other.registration_ = nullptr;
    }
    fd_ = std::move(other.fd_);
}

void SelectableChannel::close() {
    if (registration_ != nullptr) {
        ChannelRegistration& ended = registrationFor("close");
        registration_ = nullptr;
        ended.channelClosing();
    }
    fd_.reset();
}

void SelectableChannel::refuse(const char* call) const {
    if (registration_ != nullptr) registration_->owner().assertCurrent(call);
    throw WrongThreadError(std::string(call) + " on a channel that is not registered");
}

}  // namespace nio
