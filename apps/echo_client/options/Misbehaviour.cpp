#include "echo_client/options/Misbehaviour.h"

namespace load {

const std::map<std::string, Misbehaviour>& misbehaviours() {
    static const std::map<std::string, Misbehaviour> names{{"slowloris", Misbehaviour::slowloris},
                                                           {"never-read", Misbehaviour::neverRead},
                                                           {"rst-storm", Misbehaviour::rstStorm},
                                                           {"one-byte", Misbehaviour::oneByte},
                                                           {"half-open", Misbehaviour::halfOpen}};
    return names;
}

std::string nameOf(Misbehaviour misbehaviour) {
    for (const auto& [name, value] : misbehaviours()) {
        if (value == misbehaviour) return name;
    }
    return "";
}

}  // namespace load
