// What model-server can be told.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nio/net/Server.h>

#include "bench/models/Work.h"

namespace models {

class Model;
struct ModelOptions;

// A model as the command line knows it, and which options mean something to it.
struct ModelKind {
    const char* name;
    const char* summary;
    bool hasDispatchers;  // --threads
    bool hasWorkers;      // --workers
    bool hasClientStack;  // --stack-kib
    std::unique_ptr<Model> (*make)(const ModelOptions& options);
};

struct ModelOptions {
    const ModelKind* kind = nullptr;
    std::uint16_t port = 0;
    std::size_t dispatchers = 0;  // 0: one per CPU
    std::size_t workers = 4;
    std::size_t stackKib = 256;
    WorkOptions work;

    std::string address() const { return "127.0.0.1:" + std::to_string(port); }
    // For the models that stand on the library.
    nio::ServerOptions serverOptions(std::size_t threads) const;
};

// "none", or "block:" and a number with its unit: "block:1ms", "block:250us".
std::optional<std::chrono::microseconds> parseWork(const std::string& text);

// Absent: exit with `exitCode`.
std::optional<ModelOptions> parseModelOptions(int argc, char** argv, int& exitCode);

}  // namespace models
