// The router's store, opened on a file that is not what it should be: a good one of which some
// bytes are changed, cut off or added, or any bytes. What must hold:
//  - it is opened, or refused with one line that names the file;
//  - what is in it is read, or refused likewise; so is what is then added.
//
// Input: how much of a good file is left, how many changes, each with its place and its byte; what
// is put at the end.

#include <fstream>
#include <stdexcept>

#include "apps/sms_router/store/StoreTesting.h"
#include "sms_router/store/StoreTables.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;

std::string goodFile() {
    const router::StoreFile file;
    {
        router::StoreTables tables(file.path());
        tables.begin();
        for (std::uint64_t i = 1; i < 40; ++i) {
            tables.ids.add(router::someId(i));
            tables.kept.add(router::someKept(i));
        }
        (void)tables.numbers.reserve("messages", 1000);
        (void)tables.connectors.numberOf("north");
        tables.commit();
    }
    std::ifstream in(file.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string contentFrom(fuzz::FuzzInput& input) {
    static const std::string good = goodFile();
    std::string content = good.substr(0, good.size() * (255U - input.byte()) / 255);
    for (std::size_t changes = input.upTo(15); changes > 0 && !content.empty(); --changes) {
        const std::size_t place = input.byte() << 8 | input.byte();
        content[place % content.size()] = static_cast<char>(input.byte());
    }
    return content.append(input.rest());
}

void use(const std::string& path) {
    router::StoreTables tables(path);
    (void)tables.ids.load();
    (void)tables.kept.load();
    tables.begin();
    (void)tables.numbers.reserve("messages", 1000);
    (void)tables.connectors.numberOf("south");
    tables.ids.add(router::someId(100));
    tables.kept.add(router::someKept(100));
    tables.ids.remove(4);
    (void)tables.kept.oldRows().prune(0, 1'800'000'000, 10);
    tables.commit();
}

void run(fuzz::FuzzInput input) {
    const router::StoreFile file;
    file.fill(contentFrom(input));
    try {
        use(file.path());
    } catch (const std::runtime_error& refused) {
        const std::string what = refused.what();
        require(what.starts_with("store " + file.path() + ": "), "the file is named: " + what);
        require(what.find('\n') == what.npos, "what is wrong is one line: " + what);
    }
}

const fuzz::FuzzTarget target("store_file", run);

}  // namespace
