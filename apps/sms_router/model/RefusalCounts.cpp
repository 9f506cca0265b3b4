#include "sms_router/model/RefusalCounts.h"

namespace router {

RefusalCounts& RefusalCounts::operator+=(const RefusalCounts& other) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) counts_[kind] += other.counts_[kind];
    return *this;
}

std::size_t RefusalCounts::kindOf(smpp::Command request) {
    using smpp::Command;
    switch (request) {
        case Command::submitSm:
        case Command::dataSm:
        case Command::submitMulti: return 0;
        case Command::querySm: return 1;
        case Command::cancelSm: return 2;
        case Command::replaceSm: return 3;
        default: return smpp::isBind(request) ? 4 : 5;
    }
}

}  // namespace router
