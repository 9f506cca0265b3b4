#include "bench/models/ModelOptions.h"

#include <array>
#include <charconv>

#include "bench/models/Model.h"
#include "common/CommandLine.h"
#include "common/OptionTypes.h"

namespace models {

namespace {

constexpr const char* program = "model-server";

constexpr std::array<ModelKind, 4> kinds{{
    {"m-dispatchers-no-workers", "dispatchers that do all the work", true, false, false,
     mDispatchersNoWorkers},
    {"thread-per-client", "blocking sockets, a thread for each client", false, false, true,
     threadPerClient},
    {"one-dispatcher-n-workers", "one dispatcher, a pool that keeps each client's order", false,
     true, false, oneDispatcherNWorkers},
    {"m-dispatchers-n-workers", "dispatchers that give the work to a pool", true, true, false,
     mDispatchersNWorkers},
}};

std::string description() {
    std::string text =
        "An echo server in four threading models, to compare them. SIGTERM or SIGINT ends it.\n"
        "MODEL is one of\n";
    for (const ModelKind& kind : kinds) {
        text += "  " + std::string(kind.name) + ": " + kind.summary + "\n";
    }
    return text;
}

std::map<std::string, const ModelKind*> kindsByName() {
    std::map<std::string, const ModelKind*> all;
    for (const ModelKind& kind : kinds) all[kind.name] = &kind;
    return all;
}

// An option that the model would ignore is a mistake of whoever gave it.
std::optional<std::string> meaningless(const CLI::App& app, const ModelKind& kind) {
    const std::map<std::string, bool> means{{"--threads", kind.hasDispatchers},
                                            {"--workers", kind.hasWorkers},
                                            {"--stack-kib", kind.hasClientStack}};
    for (const auto& [option, meant] : means) {
        if (!meant && app.count(option) > 0) {
            return option + " means nothing to " + kind.name + " (see --help)";
        }
    }
    return std::nullopt;
}

void addLimits(CLI::App& app, ModelOptions& options) {
    apps::addCount(app, "--threads", options.dispatchers, 0, 1'024, "Dispatchers; 0: one per CPU");
    apps::addCount(app, "--workers", options.workers, 1, 4'096, "Worker threads");
    apps::addCount(app, "--stack-kib", options.stackKib, 64, 65'536,
                   "Stack of each client's thread, in KiB")
        ->type_name("KIB");
}

void addWork(CLI::App& app, WorkOptions& work) {
    const auto parse = [&work](const std::string& text) {
        const auto time = parseWork(text);
        if (!time) throw CLI::ValidationError("--work", "'" + text + "' is not none or block:1ms");
        work.time = *time;
    };
    app.add_option_function<std::string>(
           "--work", parse, "What is done for a message: none, or block:TIME sleeps (1ms, 250us)")
        ->type_name("WORK")
        ->default_str("none");
    apps::addCount(app, "--size", work.messageBytes, 1, 1 << 20,
                   "Bytes of a message, for --work block")
        ->type_name("BYTES");
}

}  // namespace

nio::ServerOptions ModelOptions::serverOptions(std::size_t threads) const {
    nio::ServerOptions server;
    server.address = address();
    server.group.threads = threads;
    server.drain.deadline = std::chrono::milliseconds(500);
    return server;
}

std::optional<std::chrono::microseconds> parseWork(const std::string& text) {
    if (text == "none") return std::chrono::microseconds(0);
    const std::string prefix = "block:";
    if (!text.starts_with(prefix)) return std::nullopt;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [unit, failure] = std::from_chars(text.data() + prefix.size(), end, number);
    constexpr int maxNumber = 1'000'000;
    if (failure != std::errc() || number <= 0 || number > maxNumber) return std::nullopt;
    if (std::string(unit, end) == "ms") return std::chrono::milliseconds(number);
    if (std::string(unit, end) == "us") return std::chrono::microseconds(number);
    return std::nullopt;
}

std::optional<ModelOptions> parseModelOptions(int argc, char** argv, int& exitCode) {
    ModelOptions options;
    CLI::App app(description(), program);
    apps::addVersion(app, program);
    apps::addChoice(app, "MODEL", options.kind, kindsByName(), "", "The threading model")
        ->required();
    apps::addCount(app, "--port", options.port, 0, 65'535,
                   "TCP port of 127.0.0.1; 0 takes a free one")
        ->type_name("PORT");
    addLimits(app, options);
    addWork(app, options.work);
    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    if (const auto complaint = meaningless(app, *options.kind)) {
        exitCode = apps::fail(program, *complaint, apps::exitUsage);
        return std::nullopt;
    }
    return options;
}

}  // namespace models
