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

// The decoder of any of them, for pipelines that need not be one type for each.
class AnyFraming {
  public:
    explicit AnyFraming(Framing framing) : framing_(framing), decoder_(makeDecoder(framing)) {}
    AnyFraming(const AnyFraming& other) : AnyFraming(other.framing_) {}
    AnyFraming(AnyFraming&&) = default;
    AnyFraming& operator=(const AnyFraming&) = delete;

    nio::Decoded decode(nio::ByteView unread) { return decoder_->decode(unread); }
    nio::Result<void> encode(nio::ByteView packet, nio::ByteSink& sink) const {
        return decoder_->encode(packet, sink);
    }

  private:
    Framing framing_;
    std::unique_ptr<nio::ProtocolDecoder> decoder_;
};

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
