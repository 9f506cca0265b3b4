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
                                        {"receipts", receipts},
                                        {"receipts_sent", receiptsSent},
                                        {"receipts_acknowledged", receiptsAcknowledged},
                                        {"receipts_resent", receiptsResent},
                                        {"receipts_refused", receiptsRefused},
                                        {"mo", mo},
                                        {"mo_sent", moSent},
                                        {"mo_acknowledged", moAcknowledged},
                                        {"mo_refused", moRefused},
                                        {"deliveries_waiting", waiting},
                                        {"dropped_links", droppedLinks},
                                        {"malformed", malformed},
                                        {"outbinds", outbinds}};
    return counts.dump();
}

}  // namespace smppbench
