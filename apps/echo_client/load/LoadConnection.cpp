#include "echo_client/load/LoadConnection.h"

#include "echo_client/load/LoadSlot.h"
#include "echo_client/load/PacketConnection.h"
#include "echo_client/load/RawConnection.h"

namespace load {

std::unique_ptr<nio::StreamHandler> LoadConnection::make(nio::SocketChannel channel,
                                                         LoadSlot& slot) {
    const LoadPlan& plan = slot.plan();
    if (plan.options().framing == apps::Framing::raw) {
        return std::make_unique<RawConnection>(std::move(channel), slot, plan.stream());
    }
    return PacketConnection::make(std::move(channel), slot, plan);
}

}  // namespace load
