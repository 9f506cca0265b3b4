// Packets per second through each decoder, from one buffer of many packets.
#include <benchmark/benchmark.h>

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/StxEtxDecoder.h>

namespace {

class BytesSink final : public nio::ByteSink {
  public:
    void append(nio::ByteView bytes) override { all.insert(all.end(), bytes.begin(), bytes.end()); }
    nio::Bytes all;
};

template <class Decoder>
void decodeStream(benchmark::State& state) {
    constexpr std::int64_t packets = 1000;
    const nio::Bytes payload(static_cast<std::size_t>(state.range(0)), nio::Byte{'x'});
    Decoder decoder;
    BytesSink stream;
    for (std::int64_t i = 0; i < packets; ++i) decoder.encode(payload, stream).orThrow();
    for (auto _ : state) {
        nio::ByteView rest(stream.all);
        while (!rest.empty()) rest = rest.subspan(decoder.decode(rest).consumed);
    }
    state.SetItemsProcessed(state.iterations() * packets);
}
BENCHMARK(decodeStream<nio::LengthFieldDecoder>)->Arg(64)->Arg(4096);
BENCHMARK(decodeStream<nio::LineDecoder>)->Arg(64)->Arg(4096);
BENCHMARK(decodeStream<nio::StxEtxDecoder>)->Arg(64)->Arg(4096);

}  // namespace
