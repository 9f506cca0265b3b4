// The parts of the status page. Scripts are one strict script, in this order: they share names.
//
// Thread: any.
#pragma once

#include <string>

namespace router::page {

std::string style();
std::string statusBody();

std::string wordsScript();   // numbers as a reader wants them, elements
std::string ratesScript();   // from counters to rates, curves and percentiles
std::string tablesScript();  // connectors and accounts
std::string formsScript();   // reload, stop and start, explain
std::string liveScript();    // asks each second and shows

}  // namespace router::page
