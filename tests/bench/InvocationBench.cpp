// What crossing to a dispatcher costs. Compare the rows of one run with each other only.
#include <benchmark/benchmark.h>

#include <nio/loop/SelectorThread.h>

namespace {

// Producer and dispatcher on one thread: the queue itself, without a wake-up.
void invokeLaterAndTurn(benchmark::State& state) {
    nio::SelectorThread dispatcher;
    const auto burst = state.range(0);
    std::int64_t ran = 0;
    for (auto _ : state) {
        for (std::int64_t i = 0; i < burst; ++i) {
            benchmark::DoNotOptimize(dispatcher.invokeLater([&ran] { ++ran; }));
        }
        dispatcher.turn(std::chrono::nanoseconds::zero());
    }
    state.SetItemsProcessed(ran);
}
BENCHMARK(invokeLaterAndTurn)->Arg(1)->Arg(64)->Arg(4096);

void invokeAndWaitRoundTrip(benchmark::State& state) {
    nio::SelectorThread dispatcher;
    dispatcher.start();
    for (auto _ : state) benchmark::DoNotOptimize(dispatcher.invokeAndWait([] { return 1; }));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(invokeAndWaitRoundTrip)->UseRealTime();

void emptyTurn(benchmark::State& state) {
    nio::SelectorThread dispatcher;
    for (auto _ : state) dispatcher.turn(std::chrono::nanoseconds::zero());
}
BENCHMARK(emptyTurn);

}  // namespace
