// The router as the admin interface sees it, in the hands of a test: it notes what it is asked, and
// answers at once with what the test has put there.
//
// Thread: the admin interface's.
#pragma once

#include <string>
#include <vector>

#include "apps/sms_router/admin/SomeSnapshot.h"
#include "sms_router/admin/AdminCalls.h"

namespace routertest {

struct FakeRouter {
    router::Snapshot now = someSnapshot();
    router::Reloaded reloaded{};
    std::vector<std::string> lines{};
    std::string hangs{};  // the dispatcher that does not answer, if there is one
    router::ExplainRequest explained{};
    std::vector<std::string> asked{};
    int refusedTokens = 0;
    std::optional<std::chrono::milliseconds> delay = std::chrono::milliseconds(0);

    router::AdminCalls calls() {
        return {
            .health =
                [this](auto answer) {
                    const std::string silent = now.silent.empty() ? "" : now.silent.front();
                    answer({silent, now.draining, now.store.alarm});
                },
            .snapshot =
                [this](auto answer) {
                    asked.push_back("snapshot");
                    answer(std::make_shared<const router::Snapshot>(now));
                },
            .reload =
                [this](auto answer) {
                    asked.push_back("reload");
                    answer(reloaded);
                },
            .switchConnector =
                [this](const std::string& name, bool on, auto answer) {
                    asked.push_back((on ? "start " : "stop ") + name);
                    answer(orError(turned(name, on)));
                },
            .explain =
                [this](const router::ExplainRequest& request, auto answer) {
                    asked.push_back("explain");
                    explained = request;
                    answer(orError(lines));
                },
            .loginDelay = [this](const nio::SocketAddress&) { return delay; },
            .tokenRefused = [this](const nio::SocketAddress&) { ++refusedTokens; },
        };
    }

  private:
    bool turned(const std::string& name, bool on) {
        bool known = false;
        for (router::ConnectorRow& connector : now.connectors) {
            if (connector.name != name) continue;
            known = true;
            connector.stopped = !on;
            connector.live = on;
        }
        return known;
    }
    template <class T>
    nio::Result<T> orError(T value) const {
        if (!hangs.empty()) return nio::Error(std::errc::timed_out, hangs);
        return value;
    }
};

}  // namespace routertest
