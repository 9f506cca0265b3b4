// What verdicts are about: a result without any trouble, and what may trouble it.
#pragma once

#include "echo_client/verdict/Verdict.h"

namespace load {

inline LoadOptions requiring(const std::vector<std::string>& requirements) {
    LoadOptions options;
    for (const auto& text : requirements) {
        options.requirements.push_back(Requirement::parse(text).orThrow());
    }
    return options;
}

// An open loop without any trouble: 100 echoes that took 1 ms.
inline LoadResult goodResult() {
    using namespace std::chrono_literals;
    LoadResult result;
    result.openLoop = true;
    result.measured = 1s;
    for (int i = 0; i < 100; ++i) {
        result.total.latency.record(1ms);
        result.total.lateness.record(10us);
        ++result.total.inTime;
    }
    result.dispatchers.push_back({"load-0", 0.2});
    return result;
}

inline void addWrongAnswer(LoadResult& result) {
    result.total.errors.corrupted = 1;
    result.total.errors.wrongAnswerExample = "connection 3: not what was sent";
}

inline void addIoError(LoadResult& result) {
    result.total.errors.reset = 2;
}

inline void beLate(LoadResult& result) {
    result.dispatchers.push_back({"load-1", 0.95});
}

inline void slowDown(LoadResult& result) {
    using namespace std::chrono_literals;
    result.total.latency.recordTimes(9ms, 100);
    result.total.inTime = 200;
}

inline void slowDownLate(LoadResult& result) {
    slowDown(result);
    beLate(result);
}

inline void standStill(LoadResult& result) {
    using namespace std::chrono_literals;
    result.total.stoodStill = 2100ms;
}

inline const std::vector<std::string> fast{"p99<2ms"};

}  // namespace load
