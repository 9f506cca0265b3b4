#include "common/MemoryBudgetOption.h"

#include <nio/sys/Process.h>

#include "common/OptionTypes.h"

namespace apps {

void addMemoryBudget(CLI::App& app, BudgetBytes& bytes) {
    const auto parse = [](const std::string& text) {
        const auto size = parseCount(text);
        const bool tooLittle = size && size.value() > 0 && size.value() < leastBudget;
        if (!tooLittle) return size;
        return nio::Result<std::uint64_t>(nio::Error(
            std::errc::invalid_argument, "'" + text + "' is too small: the minimum is 1Mi"));
    };
    addParsed(app, "--memory-budget", bytes, parse, "SIZE",
              "Buffer memory of all connections together, such as 512Mi.\n"
              "At 80 percent reads pause on connections with pending output,\n"
              "at 90 new connections are refused, at 100 the largest buffer\n"
              "holders are evicted; 0: no limit")
        ->default_str("half of the memory");
}

std::shared_ptr<nio::MemoryBudget> makeMemoryBudget(const BudgetBytes& bytes) {
    nio::MemoryBudgetOptions options;
    options.bytes = bytes ? *bytes : std::max(nio::kernel::memoryLimit() / 2, leastBudget);
    if (options.bytes == 0) return nullptr;
    return std::make_shared<nio::MemoryBudget>(options);
}

}  // namespace apps
