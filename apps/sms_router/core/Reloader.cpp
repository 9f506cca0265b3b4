#include "sms_router/core/Reloader.h"

#include <nio/base/Log.h>

#include "sms_router/core/OnceHeard.h"

namespace router {

namespace {

void say(const Reloaded& reloaded) {
    using enum nio::LogLevel;
    for (const std::string& line : reloaded.mistakes) nio::log(error, line);
    for (const std::string& line : reloaded.warnings) nio::log(warning, line);
    if (!reloaded.refusal.empty()) nio::log(error, reloaded.refusal);
    nio::log(info, reloaded.isInForce() ? "reloaded" : "not reloaded: the old configuration stays");
}

}  // namespace

void Reloader::reload(nio::SelectorThread& asker, Answer answer) {
    auto tell = [&asker, answer = std::move(answer)](Reloaded reloaded) mutable {
        say(reloaded);
        // An asker that has stopped needs no answer.
        (void)asker.invokeLater(
            [answer = std::move(answer), reloaded = std::move(reloaded)]() mutable {
                answer(std::move(reloaded));
            });
    };
    auto work = [this, tell = std::move(tell)]() mutable {
        Reloaded reloaded = reloadOrSayWhyNot();
        if (!reloaded.isInForce()) return tell(std::move(reloaded));
        onceInForce(std::move(reloaded), std::move(tell));
    };
    (void)around_.files.invokeLater(std::move(work));
}

Reloaded Reloader::reloadOrSayWhyNot() {
    try {
        return reloadNow();
    } catch (const std::exception& error) {
        return {.mistakes = {error.what()}};
    }
}

Reloaded Reloader::reloadNow() {
    if (around_.draining) return {.refusal = "the router is draining"};
    const ConfigReading reading = source_.read();
    Reloaded reloaded;
    for (const ConfigMistake& mistake : reading.mistakes) {
        reloaded.mistakes.push_back(describe(source_.name, mistake));
    }
    if (reading.config == nullptr) return reloaded;
    // Reading takes its time, where there are passwords to be hashed.
    if (around_.draining) return {.refusal = "the router is draining"};
    reloaded.mistakes = around_.deployment.apply(reading.config);
    if (!reloaded.mistakes.empty()) return reloaded;
    takesEffect_(*reading.config);
    addWarnings(reloaded, reading);
    inForce_ = reading.config;
    return reloaded;
}

void Reloader::addWarnings(Reloaded& reloaded, const ConfigReading& reading) const {
    for (const std::string& warning : reading.warnings) {
        reloaded.warnings.push_back(source_.name + ": " + warning);
    }
    for (std::string& change : Deployment::fixedChanges(*reading.config, *initial_)) {
        reloaded.warnings.push_back(std::move(change));
    }
    for (std::string& change : Deployment::laterChanges(*reading.config, *inForce_)) {
        reloaded.warnings.push_back(std::move(change));
    }
}

void Reloader::onceInForce(Reloaded reloaded, Answer tell) {
    auto heard = [this, reloaded = std::move(reloaded),
                  tell = std::move(tell)](const Silent& silent) mutable {
        for (const std::size_t index : silent) {
            reloaded.warnings.push_back(around_.group[index].name() +
                                        " does not answer: connectors stay as they are until then");
        }
        tell(std::move(reloaded));
    };
    std::vector<nio::SelectorThread*> shards;
    for (std::size_t i = 0; i < around_.group.size(); ++i) shards.push_back(&around_.group[i]);
    onceHeard(std::move(shards), around_.files, answersWithin, std::move(heard));
}

}  // namespace router
