// What the tests of the store share: a file that goes with the test, records, and a caller whose
// turns the test makes, with the answers it was given.
//
// Thread: that of the test.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "sms_router/store/Store.h"
#include "support/TurnUntil.h"

namespace router {

class StoreFile {
  public:
    StoreConfig config() const {
        StoreConfig config;
        config.path = path();
        return config;
    }
    std::string path() const { return folder_.file("router.db"); }
    void fill(const std::string& bytes) const { std::ofstream(path()) << bytes; }

  private:
    nio::kerneltest::TemporaryFolder folder_;
};

inline StoreConfig inMemory() {
    StoreConfig config;
    config.durability = Durability::memory;
    return config;
}

inline IdRecord someId(std::uint64_t id) {
    return {id, 3, "SMSC-" + std::to_string(id), "esme1", 1'700'000'000, 0};
}

inline KeptRecord someKept(std::uint64_t number) {
    return {number, "esme1", 1'700'000'000, nio::copyOf(nio::asBytes("a receipt"))};
}

class Caller {
  public:
    // An answer that is noted under its number.
    Store::Done noted(std::uint64_t number) {
        return [this, number](bool committed) {
            EXPECT_TRUE(thread.isCurrent());
            (committed ? done : refused).push_back(number);
        };
    }
    bool turnUntilAnswered(std::size_t count) {
        return support::turnUntil(thread, [&] { return done.size() + refused.size() >= count; });
    }
    // Adds it and waits. False: it was not committed.
    bool adds(Store& store, IdRecord record) {
        const std::size_t before = done.size();
        const std::uint64_t id = record.id;
        store.addId(std::move(record), thread, noted(id));
        EXPECT_TRUE(turnUntilAnswered(done.size() + refused.size() + 1));
        return done.size() > before;
    }
    bool keeps(Store& store, KeptRecord record) {
        const std::size_t before = done.size();
        const std::uint64_t number = record.number;
        store.keep(std::move(record), thread, noted(number));
        EXPECT_TRUE(turnUntilAnswered(done.size() + refused.size() + 1));
        return done.size() > before;
    }

    std::vector<std::uint64_t> done;
    std::vector<std::uint64_t> refused;
    nio::SelectorThread thread;
};

inline std::vector<std::uint64_t> numbersUpTo(std::uint64_t last) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 1; number <= last; ++number) numbers.push_back(number);
    return numbers;
}

inline std::vector<std::uint64_t> idsIn(Store& store) {
    std::vector<std::uint64_t> ids;
    for (const IdRecord& record : store.loadIds()) ids.push_back(record.id);
    return ids;
}

// Until all that was asked for, and what that asks for itself, is committed or undone.
inline void awaitAll(const Store& store) {
    while (store.figures().queued > 0) std::this_thread::yield();
}

// The one line that the store refuses with; empty: it does not.
inline std::string refusalOf(const StoreConfig& config) {
    try {
        Store store(config);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

}  // namespace router
