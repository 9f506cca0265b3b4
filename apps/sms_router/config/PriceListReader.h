// A price list, in CSV: lines of prefix,connector,price. Blank lines and those that begin with "#"
// are skipped; the first of the others may be these three words, in any case. A prefix has up to 20
// digits and may begin with
// "+" or the international prefix; an empty one is for all other numbers.
//
// Thread: any; reads the file, which may block.
#pragma once

#include "sms_router/config/Findings.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

// Of the file config.priceList, into the connectors that are there already.
void readPriceList(RouterConfig& config, Findings& findings);

}  // namespace router
