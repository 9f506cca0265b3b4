#include "smpp_bench/PduLink.h"

#include <smpp/pdu/PduWriter.h>

namespace smppbench {

namespace {

// A thousand unanswered messages of the largest size fit.
std::shared_ptr<const nio::StreamOptions> linkOptions() {
    static const auto options = [] {
        auto made = std::make_shared<nio::StreamOptions>();
        made->outputHighMark = 4 * 1024 * 1024;
        made->outputLimit = 256 * 1024 * 1024;
        made->lingerTimeout = std::chrono::milliseconds(1000);
        return made;
    }();
    return options;
}

}  // namespace

PduLink::PduLink(nio::SocketChannel channel) : StreamHandler(std::move(channel), linkOptions()) {}

void PduLink::answer(const smpp::Pdu& request, smpp::Status status) {
    send(smpp::answer(request.command(), status, request.sequence()));
}

void PduLink::bytesArrived(nio::ByteView bytes) {
    if (tail_.empty()) {
        const std::size_t done = deliver(bytes);
        if (done < bytes.size()) tail_ = nio::copyOf(bytes.subspan(done));
        return;
    }
    tail_.insert(tail_.end(), bytes.begin(), bytes.end());
    const std::size_t done = deliver(tail_);
    tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(done));
}

std::size_t PduLink::deliver(nio::ByteView input) {
    std::size_t done = 0;
    while (channel().isOpen()) {
        const smpp::Framed framed = framer_.next(input.subspan(done));
        if (framed.kind == smpp::Framed::Kind::needMore) break;
        if (framed.kind == smpp::Framed::Kind::badLength) {
            nonsenseArrived();
            closeAfterFlush();
            return input.size();
        }
        deliverOne(framed.bytes);
        done += framed.bytes.size();
    }
    return done;
}

void PduLink::deliverOne(nio::ByteView bytes) {
    const smpp::Scanned scanned = smpp::scan(bytes);
    if (scanned.pdu) return pduArrived(*scanned.pdu);
    const smpp::Header& header = scanned.header;
    if (!smpp::isResponse(header.command)) {
        send(smpp::answer(header.command, scanned.problem, header.sequence));
    }
    nonsenseArrived();
}

}  // namespace smppbench
