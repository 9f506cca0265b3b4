// The framings that the echo programs speak.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <nio/codec/ProtocolDecoder.h>

namespace apps {

enum class Framing { raw, stxEtx, lines, length };

// By the names of the command line.
const std::map<std::string, Framing>& framings();

std::unique_ptr<nio::ProtocolDecoder> makeDecoder(Framing framing);

}  // namespace apps
