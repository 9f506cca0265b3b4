// nio-model [PREEMPTIONS]: explores every scene of the invocation queue: prints how many
// interleavings there are; exit 1 where one fails, with the way there.
// nio-model --planted: built of a variant with a defect: exit 0 only if a scene fails.
//
// PREEMPTIONS: for all scenes, instead of what is done in seconds.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "model/Scenes.h"

namespace {

// Whether the scene holds.
bool explore(const model::NamedScene& scene, model::Explorer::Bounds bounds) {
    const model::Explorer::Outcome outcome = model::Explorer::explore(scene.scene, bounds);
    std::printf("%s: %zu interleavings, preemptions: %zu%s\n", scene.name, outcome.runs,
                bounds.preemptions, outcome.failure ? ": FAILS" : "");
    if (outcome.failure) std::printf("  %s\n", outcome.failure->c_str());
    std::fflush(stdout);
    return !outcome.failure;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string argument = argc > 1 ? argv[1] : "";
    const bool isPlanted = argument == "--planted";
    for (const model::NamedScene& scene : model::allScenes()) {
        model::Explorer::Bounds bounds;
        const bool isGiven = !argument.empty() && !isPlanted;
        bounds.preemptions = isGiven ? std::strtoul(argv[1], nullptr, 10) : scene.preemptions;
        if (!explore(scene, bounds)) return isPlanted ? 0 : 1;
    }
    return isPlanted ? 1 : 0;
}
