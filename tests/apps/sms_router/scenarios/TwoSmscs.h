// The router, bound to two SMSCs: connectors "a" and "b".
//
// Thread: one at a time.
#pragma once

#include "apps/sms_router/scenarios/RouterProcess.h"
#include "apps/sms_router/scenarios/TestSmsc.h"

namespace router::scenarios {

struct TwoSmscs {
    // `more` are groups and routes.
    explicit TwoSmscs(const std::string& more, RouterSetup setup = {},
                      const std::string& settingsOfA = {}, const std::string& settingsOfB = {})
        : router(complete(std::move(setup), more, settingsOfA, settingsOfB)),
          a(listenerA.accept()),
          b(listenerB.accept()) {
        router.address();
    }

    TestSmsc listenerA;
    TestSmsc listenerB;
    RouterProcess router;
    SmscBind a;
    SmscBind b;

  private:
    RouterSetup complete(RouterSetup setup, const std::string& more, const std::string& settingsOfA,
                         const std::string& settingsOfB) {
        setup.connectors = {{"a", listenerA.port(), settingsOfA},
                            {"b", listenerB.port(), settingsOfB}};
        setup.more += more;
        return setup;
    }
};

// Destinations that begin with 41 go to "a", all else to "b".
inline const std::string byPrefix =
    "[[route]]\ndestinations = [\"41*\"]\nconnector = \"a\"\n[[route]]\nconnector = \"b\"\n";

// A group of both, and a route to it.
inline std::string groupOf(const std::string& settings) {
    return "[group.both]\n" + settings + "\n[[route]]\ngroup = \"both\"\n";
}

}  // namespace router::scenarios
