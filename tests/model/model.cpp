// nio-model [PREEMPTIONS]: explores every scene of the invocation queue: prints how many
// interleavings there are; exit 1 where one fails, with the way there.
// nio-model --planted: built of a variant with a defect: exit 0 only if a scene fails.
//
// PREEMPTIONS: for all scenes, instead of what is done in seconds.

#include <cstdio>
#include <optional>

#include "model/Scenes.h"
#include "simulation/Arguments.h"

namespace {

constexpr const char* help =
    "usage: nio-model [PREEMPTIONS]\n\n"
    "Explores every scene of the invocation queue, with so many preemptions, or with as many as\n"
    "take seconds.\n\n"
    "Exit code: 0 all of them hold, 1 one does not, 2 the command line is wrong.\n";

struct Wanted {
    std::optional<std::size_t> preemptions{};
    bool isPlanted = false;
};

Wanted read(simulation::Arguments arguments) {
    constexpr std::size_t most = 1000;
    if (arguments.left() == 0) return {};
    const std::string word = arguments.next();
    if (arguments.left() > 0) throw simulation::unknown(arguments.next());
    if (word == "--planted") return {{}, true};
    return {simulation::toNumber("PREEMPTIONS", word, 0, most), false};
}

// Whether the scene holds.
bool explore(const model::NamedScene& scene, model::Explorer::Bounds bounds) {
    const model::Explorer::Outcome outcome = model::Explorer::explore(scene.scene, bounds);
    std::printf("%s: %zu interleavings, preemptions: %zu%s\n", scene.name, outcome.runs,
                bounds.preemptions, outcome.failure ? ": FAILS" : "");
    if (outcome.failure) std::printf("  %s\n", outcome.failure->c_str());
    std::fflush(stdout);
    return !outcome.failure;
}

int exploreAll(const Wanted& wanted) {
    for (const model::NamedScene& scene : model::allScenes()) {
        model::Explorer::Bounds bounds;
        bounds.preemptions = wanted.preemptions.value_or(scene.preemptions);
        if (!explore(scene, bounds)) return wanted.isPlanted ? 0 : 1;
    }
    return wanted.isPlanted ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const simulation::Arguments arguments(argc, argv);
    if (arguments.askForHelp()) return std::fputs(help, stdout) < 0 ? 2 : 0;
    try {
        return exploreAll(read(arguments));
    } catch (const simulation::Mistake& mistake) {
        return simulation::say(mistake);
    }
}
