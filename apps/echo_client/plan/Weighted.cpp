#include "echo_client/plan/Weighted.h"

#include <sstream>

#include "common/Quantity.h"

namespace load {

nio::Result<std::vector<Weighted>> parseWeighted(const std::string& text) {
    const auto refuse = [&text](const std::string& why) {
        return nio::Error(std::errc::invalid_argument, "'" + text + "': " + why);
    };
    std::vector<Weighted> all;
    std::size_t weighed = 0;
    // The comma behind the end makes an empty last part one that is seen.
    std::istringstream parts(text + ",");
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t colon = part.find(':');
        Weighted item{part.substr(0, colon), 1};
        if (item.what.empty()) return refuse("a part is empty");
        if (colon != std::string::npos) {
            const auto weight = apps::parseNumber(part.substr(colon + 1));
            if (!weight) return refuse("the weight " + weight.error().context());
            if (!(weight.value() > 0)) return refuse("a weight must be more than 0");
            item.weight = weight.value();
            ++weighed;
        }
        all.push_back(item);
    }
    if (weighed != 0 && weighed != all.size()) return refuse("give all parts a weight, or none");
    return all;
}

}  // namespace load
