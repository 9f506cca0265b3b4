// Reads the configuration anew and brings it into force, or says what stands in the way: to who has
// asked for it, and in the log. The next one begins when everybody goes by the one before it.
//
// Thread: any; it works on "files".
// Lifetime: it must outlive "files", whose tasks use it; the others must outlive it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sms_router/admin/AdminCalls.h"
#include "sms_router/app/AskDispatchers.h"
#include "sms_router/app/Deployment.h"
#include "sms_router/config/ConfigReader.h"

namespace router {

// Where the configuration comes from on reload.
struct ConfigSource {
    std::string name;                     // in front of its mistakes
    std::function<ConfigReading()> read;  // runs on "files"; may throw
};

class Reloader {
  public:
    using Answer = nio::UniqueFunction<void(Reloaded reloaded)>;
    using TakesEffect = std::function<void(const RouterConfig& config)>;

    struct Surroundings {
        Deployment& deployment;
        nio::SelectorThreadGroup& group;
        nio::SelectorThread& files;
        const std::atomic<bool>& draining;
    };

    // `initial` is in force. `takesEffect` is for what the deployment leaves to others; it runs on
    // "files".
    Reloader(ConfigSource source, SharedConfig initial, const Surroundings& around,
             TakesEffect takesEffect)
        : source_(std::move(source)),
          initial_(initial),
          inForce_(std::move(initial)),
          around_(around),
          takesEffect_(std::move(takesEffect)) {}

    // See AdminCalls.
    void reload(nio::SelectorThread& asker, Answer answer);

  private:
    class Turn;

    // On "files".
    void beginNext();
    Reloaded reloadOrSayWhyNot();
    Reloaded reloadNow();
    void addWarnings(Reloaded& reloaded, const ConfigReading& reading) const;
    void awaitAll();
    void addThoseLeftOut(Reloaded& reloaded, const Silent& silent) const;

    const ConfigSource source_;
    const SharedConfig initial_;
    SharedConfig inForce_;
    const Surroundings around_;
    const TakesEffect takesEffect_;
    std::deque<std::shared_ptr<Turn>> waiting_;
    std::shared_ptr<Turn> current_;
};

}  // namespace router
