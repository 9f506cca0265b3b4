// The framings that the echo programs speak.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/ProtocolDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>

namespace apps {

enum class Framing { raw, stxEtx, lines, length };

// By the names of the command line.
inline const std::map<std::string, Framing>& framings() {
    static const std::map<std::string, Framing> names{{"raw", Framing::raw},
                                                      {"stx-etx", Framing::stxEtx},
                                                      {"lines", Framing::lines},
                                                      {"length", Framing::length}};
    return names;
}

inline std::unique_ptr<nio::ProtocolDecoder> makeDecoder(Framing framing) {
    switch (framing) {
        case Framing::stxEtx: return std::make_unique<nio::StxEtxDecoder>();
        case Framing::lines: return std::make_unique<nio::LineDecoder>();
        case Framing::length: return std::make_unique<nio::LengthFieldDecoder>();
        case Framing::raw: break;
    }
    return std::make_unique<nio::RawDecoder>();
}

// Calls `use` with the framing as a stage of a pipeline.
template <class Use>
auto withStage(Framing framing, Use&& use) {
    switch (framing) {
        case Framing::stxEtx: return use(nio::stxEtx());
        case Framing::lines: return use(nio::lines());
        case Framing::length: return use(nio::lengthPrefixed());
        case Framing::raw: break;
    }
    return use(nio::raw());
}

}  // namespace apps
