#include "common/MemoryBudgetOption.h"

#include <nio/sys/MemoryLimit.h>

#include "common/Quantity.h"

namespace apps {

void addMemoryBudget(CLI::App& app, BudgetBytes& bytes) {
    const auto parse = [&bytes](const std::string& text) {
        const nio::Result<std::uint64_t> size = parseCount(text);
        if (!size) throw CLI::ValidationError("--memory-budget", size.error().context());
        if (size.value() > 0 && size.value() < leastBudget) {
            throw CLI::ValidationError("--memory-budget", "'" + text + "' is less than 1Mi");
        }
        bytes = static_cast<std::size_t>(size.value());
    };
    app.add_option_function<std::string>(
           "--memory-budget", parse,
           "Bytes that all connections together may hold in buffers, such as 512Mi: at 80 percent "
           "reading pauses where output waits, at 90 new connections are refused, at 100 who holds "
           "the most is dropped; 0: no limit")
        ->type_name("SIZE")
        ->default_str("half of the memory");
}

std::shared_ptr<nio::MemoryBudget> makeMemoryBudget(const BudgetBytes& bytes) {
    nio::MemoryBudgetOptions options;
    options.bytes = bytes ? *bytes : std::max(nio::kernel::memoryLimit() / 2, leastBudget);
    if (options.bytes == 0) return nullptr;
    return std::make_shared<nio::MemoryBudget>(options);
}

}  // namespace apps
