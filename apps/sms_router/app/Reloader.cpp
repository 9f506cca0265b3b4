#include "sms_router/app/Reloader.h"

#include <nio/base/Log.h>

#include "sms_router/app/AskDispatchers.h"

namespace router {

namespace {

void say(const Reloaded& reloaded) {
    using enum nio::LogLevel;
    for (const std::string& line : reloaded.mistakes) nio::log(error, line);
    for (const std::string& line : reloaded.warnings) nio::log(warning, line);
    if (!reloaded.refusal.empty()) nio::log(error, reloaded.refusal);
    nio::log(info, reloaded.isInForce() ? "configuration reloaded"
                                        : "configuration not reloaded: the old one stays in force");
}

}  // namespace

// One reload. However it ends, it says what became of it.
class Reloader::Turn {
  public:
    Turn(nio::SelectorThread& asker, Answer answer) : asker_(asker), answer_(std::move(answer)) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        try {
            say(became);
        } catch (const std::bad_alloc&) {
            // A line less.
        }
        auto tell = [answer = std::move(answer_), with = std::move(became)]() mutable {
            answer(std::move(with));
        };
        // An asker that has stopped needs no answer.
        (void)asker_.queue()->pushOrRefuse(std::move(tell));
    }

    Reloaded became{.refusal = "the router has stopped or is out of memory"};
    // It waits for the others until then; for longer only if that was lost, for want of memory.
    nio::TimePoint until{};

  private:
    nio::SelectorThread& asker_;
    Answer answer_;
};

void Reloader::reload(nio::SelectorThread& asker, Answer answer) {
    auto work = [this, turn = std::make_shared<Turn>(asker, std::move(answer))]() mutable {
        waiting_.push_back(std::move(turn));
        beginNext();
    };
    (void)around_.files.invokeLater(std::move(work));
}

void Reloader::beginNext() {
    if (current_ != nullptr && nio::Clock::now() < current_->until) return;
    current_.reset();
    while (current_ == nullptr && !waiting_.empty()) {
        current_ = std::move(waiting_.front());
        waiting_.pop_front();
        current_->became = reloadOrSayWhyNot();
        current_->until = nio::Clock::after(3 * answersWithin);
        current_->became.isInForce() ? awaitAll() : current_.reset();
    }
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

void Reloader::awaitAll() {
    std::vector<nio::SelectorThread*> shards;
    for (std::size_t i = 0; i < around_.group.size(); ++i) shards.push_back(&around_.group[i]);
    auto heard = [this, turn = std::weak_ptr(current_)](const Silent& silent) {
        if (turn.expired()) return;
        addThoseLeftOut(current_->became, silent);
        current_.reset();
        beginNext();
    };
    afterPosted(std::move(shards), around_.files, answersWithin, std::move(heard));
}

void Reloader::addThoseLeftOut(Reloaded& reloaded, const Silent& silent) const {
    for (const std::size_t index : silent) {
        reloaded.warnings.push_back("dispatcher " + around_.group[index].name() +
                                    " does not answer: it applies the new configuration to "
                                    "itself and its connectors when it does");
    }
    for (const auto& listener : around_.deployment.listeners()) {
        if (listener->isDead())
            reloaded.warnings.push_back("listener " + listener->config().name +
                                        " no longer accepts connections");
    }
}

}  // namespace router
