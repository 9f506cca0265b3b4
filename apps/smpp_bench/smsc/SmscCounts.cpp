#include "smpp_bench/smsc/SmscCounts.h"

#include <nlohmann/json.hpp>

namespace smppbench {

std::string SmscCounts::toJson(std::size_t waiting) const {
    const nlohmann::ordered_json counts{{"connections", connections},
                                        {"binds", binds},
                                        {"binds_refused", bindsRefused},
                                        {"unbinds", unbinds},
                                        {"enquire_links", enquireLinks},
                                        {"submits", submits},
                                        {"data_sm", dataSm},
                                        {"submit_multi", submitMulti},
                                        {"accepted", accepted},
                                        {"throttled", throttled},
                                        {"duplicate_submits", duplicateSubmits},
                                        {"queries", queries},
                                        {"cancels", cancels},
                                        {"replaces", replaces},
                                        {"receipts", receipts.messages},
                                        {"receipts_sent", receipts.sent},
                                        {"receipts_acknowledged", receipts.acknowledged},
                                        {"receipts_resent", receipts.resent},
                                        {"receipts_refused", receipts.refused},
                                        {"mo", mo.messages},
                                        {"mo_sent", mo.sent},
                                        {"mo_acknowledged", mo.acknowledged},
                                        {"mo_refused", mo.refused},
                                        {"deliveries_waiting", waiting},
                                        {"dropped_links", droppedLinks},
                                        {"malformed", malformed},
                                        {"outbinds", outbinds}};
    return counts.dump();
}

}  // namespace smppbench
