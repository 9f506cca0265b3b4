// Nothing comes between the library and its simulated rings.
#include "simulation/Ring.h"
#include "simulation/RingCalls.h"

namespace simulation {

long onRingCall(long number, const Words& words) {
    return ringCall(number, words);
}

void* onRingMap(Ring& ring, std::size_t bytes, off_t offset) {
    return ring.map(bytes, offset);
}

}  // namespace simulation
