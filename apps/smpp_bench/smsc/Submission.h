// What an SMSC takes from a submit_sm, a data_sm or a submit_multi: from whom, to whom.
//
// Thread: any; pure.
// Source: SMPP 3.4, 4.5.1.1 (dest_address(es)).
#pragma once

#include <vector>

#include <smpp/pdu/Pdu.h>

#include "smpp_bench/smsc/Delivery.h"

namespace smppbench {

Address sourceOf(const smpp::Pdu& pdu);
// One, or those of a submit_multi that are addresses and not distribution lists.
std::vector<Address> destinationsOf(const smpp::Pdu& pdu);

}  // namespace smppbench
