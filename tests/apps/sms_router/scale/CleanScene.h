// OneSmsc, and the router is ended by SIGTERM, not killed: what a sanitizer has found in it shows
// in its exit code.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <exception>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

// The drain is short: a peer may never answer its unbind. The exit has no time limit: a busy
// machine needs long to close thousands of connections.
inline const std::string soonOver = "drain_timeout = \"100ms\"\nexit_timeout = \"0\"\n";

inline void expectCleanEnd(RouterProcess& router) {
    try {
        router.stop();
        EXPECT_EQ(router.exitCode(), 0) << router.process().errors();
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
    }
}

struct CleanScene : OneSmsc {
    explicit CleanScene(RouterSetup setup = {}, const std::string& settings = {})
        : OneSmsc(brief(std::move(setup)), settings) {}
    CleanScene(const CleanScene&) = delete;
    CleanScene& operator=(const CleanScene&) = delete;
    ~CleanScene() { expectCleanEnd(router); }

  private:
    static RouterSetup brief(RouterSetup setup) {
        setup.router = soonOver + setup.router;
        return setup;
    }
};

}  // namespace router::scenarios
