// Values of echo-client's command line that are nobody else's.
//
// Thread: any. Errors: std::errc::invalid_argument; context() is a sentence that quotes what was
// written.
#pragma once

#include <string>

#include <nio/base/Result.h>
#include <nio/sys/SocketAddress.h>

#include "common/Endpoint.h"
#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/LoadOptions.h"
#include "echo_client/plan/RateCurve.h"

namespace load {

// "5k": for ever.
nio::Result<RateCurve> parseConstantRate(const std::string& text);
// "1ms:1%"
nio::Result<MaxLateness> parseMaxLateness(const std::string& text);
// "slowloris:200"
nio::Result<Beside> parseBeside(const std::string& text);
// A numeric address to connect from.
nio::Result<nio::SocketAddress> parseSource(const std::string& text);
// "HOST:PORT", "[::1]:7010".
nio::Result<apps::Endpoint> parseHostPort(const std::string& text);
// Port 0, too: any.
nio::Result<apps::Endpoint> parseListen(const std::string& text);
// Not empty.
nio::Result<std::string> parseFile(const std::string& text);
// The id of a process that runs on this machine.
nio::Result<int> parseProcess(const std::string& text);
// 1 to 256 printable characters without a blank; the error does not quote it.
nio::Result<std::string> parseToken(const std::string& text);

}  // namespace load
