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

// One reload. However it ends, it says what became of it, and the next one begins.
class Reloader::Turn {
  public:
    Turn(Reloader& reloader, nio::SelectorThread& asker, Answer answer)
        : reloader_(reloader), asker_(asker), answer_(std::move(answer)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        try {
            say(became_);
        } catch (const std::bad_alloc&) {
            // A line less.
        }
        auto tell = [answer = std::move(answer_), became = std::move(became_)]() mutable {
            answer(std::move(became));
        };
        // Who has stopped needs neither.
        (void)asker_.queue()->pushOrRefuse(std::move(tell));
        const auto next = [&reloader = reloader_] { reloader.beginNext(); };
        if (hasBegun_) (void)reloader_.around_.files.queue()->pushOrRefuse(next);
    }

    Reloaded& begin() {
        hasBegun_ = true;
        return became_ = reloader_.reloadOrSayWhyNot();
    }
    Reloaded& became() { return became_; }

  private:
    Reloader& reloader_;
    nio::SelectorThread& asker_;
    Answer answer_;
    Reloaded became_{.refusal = "the router has stopped"};
    bool hasBegun_ = false;
};

void Reloader::reload(nio::SelectorThread& asker, Answer answer) {
    auto work = [this, turn = std::make_shared<Turn>(*this, asker, std::move(answer))]() mutable {
        waiting_.push_back(std::move(turn));
        beginNext();
    };
    (void)around_.files.invokeLater(std::move(work));
}

void Reloader::beginNext() {
    if (waiting_.empty() || !current_.expired()) return;
    const std::shared_ptr<Turn> turn = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = turn;
    if (turn->begin().isInForce()) awaitAll(turn);
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

void Reloader::awaitAll(std::shared_ptr<Turn> turn) {
    std::vector<nio::SelectorThread*> shards;
    for (std::size_t i = 0; i < around_.group.size(); ++i) shards.push_back(&around_.group[i]);
    auto heard = [this, turn = std::move(turn)](const Silent& silent) mutable {
        addThoseLeftOut(turn->became(), silent);
        turn.reset();  // whoever hangs keeps what called this
    };
    onceHeard(std::move(shards), around_.files, answersWithin, std::move(heard));
}

void Reloader::addThoseLeftOut(Reloaded& reloaded, const Silent& silent) const {
    for (const std::size_t index : silent) {
        reloaded.warnings.push_back("selector thread " + around_.group[index].name() +
                                    " does not answer: it, and connectors, go by the new "
                                    "configuration once it does");
    }
    for (const auto& listener : around_.deployment.listeners()) {
        if (listener->isDead())
            reloaded.warnings.push_back("listener " + listener->config().name + " takes nobody");
    }
}

}  // namespace router
