// The course of a load as comma-separated values (RFC 4180: a header line, lines end with CR LF):
// one line for each point of time. Latencies are empty where there was no answer.
//
// Thread: any.
#pragma once

#include <string>

#include "echo_client/report/LoadReport.h"

namespace load {

std::string toCsv(const LoadReport& report);

}  // namespace load
