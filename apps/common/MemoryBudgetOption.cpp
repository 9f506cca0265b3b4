#include "common/MemoryBudgetOption.h"

#include <nio/sys/MemoryLimit.h>

#include "common/OptionTypes.h"

namespace apps {

void addMemoryBudget(CLI::App& app, BudgetBytes& bytes) {
    const auto parse = [](const std::string& text) {
        const auto size = parseCount(text);
        const bool tooLittle = size && size.value() > 0 && size.value() < leastBudget;
        if (!tooLittle) return size;
        return nio::Result<std::uint64_t>(
            nio::Error(std::errc::invalid_argument, "'" + text + "' is less than 1Mi"));
    };
    addParsed(app, "--memory-budget", bytes, parse, "SIZE",
              "Bytes that all connections together may hold in buffers,\n"
              "such as 512Mi: at 80 percent reading pauses where output\n"
              "waits, at 90 new connections are refused, at 100 who holds\n"
              "the most is dropped; 0: no limit")
        ->default_str("half of the memory");
}

std::shared_ptr<nio::MemoryBudget> makeMemoryBudget(const BudgetBytes& bytes) {
    nio::MemoryBudgetOptions options;
    options.bytes = bytes ? *bytes : std::max(nio::kernel::memoryLimit() / 2, leastBudget);
    if (options.bytes == 0) return nullptr;
    return std::make_shared<nio::MemoryBudget>(options);
}

}  // namespace apps
