// Refused requests of an account, or to an SMSC, by what was asked for and by status.
//
// Thread: any; values.
#pragma once

#include <array>
#include <string_view>

#include <smpp/pdu/Command.h>

#include "sms_router/model/ByStatus.h"

namespace router {

class RefusalCounts {
  public:
    // The label in metrics: "message" for submit_sm, data_sm and submit_multi, "bind" for the three
    // binds, the command's own name for query_sm, cancel_sm and replace_sm, "other" for the rest.
    static constexpr std::array<std::string_view, 6> kinds{"message",    "query_sm", "cancel_sm",
                                                           "replace_sm", "bind",     "other"};

    StatusCounts& of(smpp::Command request) { return counts_[kindOf(request)]; }
    const StatusCounts& of(smpp::Command request) const { return counts_[kindOf(request)]; }
    const StatusCounts& ofKind(std::size_t kind) const { return counts_[kind]; }
    RefusalCounts& operator+=(const RefusalCounts& other);

  private:
    static std::size_t kindOf(smpp::Command request);

    std::array<StatusCounts, kinds.size()> counts_{};
};

}  // namespace router
