// The router's side of the admin interface, in the hands of a test: it notes what it is asked, and
// answers with what the test has put there.
//
// Thread: that of the test, which makes the asker's turns.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "apps/sms_router/admin/SomeSnapshot.h"
#include "sms_router/admin/AdminBackend.h"

namespace routertest {

class FakeBackend : public router::AdminBackend {
  public:
    router::Snapshot now = someSnapshot();
    router::Reloaded reloaded;
    std::vector<std::string> lines;
    std::string hangs;  // the dispatcher that does not answer, if there is one
    router::ExplainRequest explained;
    std::vector<std::string> asked;
    int refusedTokens = 0;
    std::optional<std::chrono::milliseconds> delay = std::chrono::milliseconds(0);

    void health(nio::SelectorThread& asker,
                nio::UniqueFunction<void(router::Health)> answer) override {
        const std::string silent = now.silent.empty() ? "" : now.silent.front();
        give(asker, std::move(answer), router::Health{silent, now.draining, now.storeAlarm});
    }
    void snapshot(
        nio::SelectorThread& asker,
        nio::UniqueFunction<void(std::shared_ptr<const router::Snapshot>)> answer) override {
        asked.push_back("snapshot");
        give(asker, std::move(answer), std::make_shared<const router::Snapshot>(now));
    }
    void reload(nio::SelectorThread& asker,
                nio::UniqueFunction<void(router::Reloaded)> answer) override {
        asked.push_back("reload");
        give(asker, std::move(answer), reloaded);
    }
    void switchConnector(const std::string& name, bool on, nio::SelectorThread& asker,
                         nio::UniqueFunction<void(nio::Result<bool>)> answer) override {
        asked.push_back((on ? "start " : "stop ") + name);
        bool known = false;
        for (router::ConnectorRow& connector : now.connectors) {
            if (connector.name != name) continue;
            known = true;
            connector.stopped = !on;
            connector.live = on;
        }
        give(asker, std::move(answer), orError<bool>(known));
    }
    std::optional<std::chrono::milliseconds> loginDelay(const nio::SocketAddress&) override {
        return delay;
    }
    void tokenRefused(const nio::SocketAddress&) override { ++refusedTokens; }
    void explain(const router::ExplainRequest& request, nio::SelectorThread& asker,
                 nio::UniqueFunction<void(nio::Result<Lines>)> answer) override {
        asked.push_back("explain");
        explained = request;
        give(asker, std::move(answer), orError<Lines>(lines));
    }

  private:
    template <class T>
    nio::Result<T> orError(const T& value) const {
        if (!hangs.empty()) return nio::Error(std::errc::timed_out, hangs);
        return value;
    }
    template <class Answer, class Value>
    static void give(nio::SelectorThread& asker, Answer answer, Value value) {
        auto task = [answer = std::move(answer), value]() mutable { answer(value); };
        if (!asker.invokeLater(std::move(task))) throw std::runtime_error("nobody to answer");
    }
};

}  // namespace routertest
