#include "echo_client/options/LoadOptionsParser.h"

#include <algorithm>

#include "common/CommandLine.h"
#include "common/Quantity.h"
#include "echo_client/options/LoadCommandLine.h"

namespace load {

namespace {

// Of whatever was typed or sent, the error quotes some: it must not leave its line.
nio::Error usage(std::string sentence) {
    std::replace_if(
        sentence.begin(), sentence.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; },
        '?');
    return {std::errc::invalid_argument, sentence};
}

nio::Result<LoadOptions> read(LoadCommandLine& line, const std::vector<std::string>& arguments) {
    try {
        return line.parse(arguments);
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ParseError& error) {
        return usage(apps::sentenceOf(line.app(), error));
    }
}

}  // namespace

nio::Result<LoadOptions> readLoadOptions(const std::vector<std::string>& arguments) {
    LoadCommandLine line;
    try {
        return read(line, arguments);
    } catch (const CLI::Success&) {
        return usage("--help and --version are not allowed here");
    }
}

std::optional<LoadOptions> parseLoadOptions(const std::vector<std::string>& arguments,
                                            int& exitCode) {
    LoadCommandLine line;
    try {
        auto options = read(line, arguments);
        if (options) return std::move(options).value();
        exitCode = apps::fail(line.app().get_name(), options.error().context() + " (see --help)",
                              apps::exitUsage);
    } catch (const CLI::Success& wish) {
        exitCode = apps::grant(line.app(), wish);
    }
    return std::nullopt;
}

// --- for agents -----------------------------------------------------------------------------

namespace {

class Words {
  public:
    void add(const std::string& option, const std::string& value) {
        words_.push_back(option + "=" + value);
    }
    void add(const std::string& option, std::uint64_t value) { add(option, std::to_string(value)); }
    void addFlag(const std::string& option) { words_.push_back(option); }
    void add(const std::string& option, Duration value) { add(option, apps::writeDuration(value)); }
    std::vector<std::string> take() { return std::move(words_); }

  private:
    std::vector<std::string> words_;
};

std::string nameOf(apps::Framing framing) {
    for (const auto& [name, value] : apps::framings()) {
        if (value == framing) return name;
    }
    return {};
}

void addTarget(const LoadOptions& options, Words& words) {
    const apps::Endpoint& server = options.endpoint;
    if (!server.unixPath.empty()) return words.add("--unix", server.unixPath);
    words.add("--host", server.host);
    words.add("--port", server.port);
    for (const nio::SocketAddress& source : options.sources) words.add("--source", source.host());
}

void addMessages(const LoadOptions& options, Words& words) {
    if (options.connectOnly) return words.addFlag("--connect-only");
    if (options.isOneWay) words.addFlag("--no-answer");
    if (!options.dialogue) {
        words.add("--framing", nameOf(options.framing));
        return words.add("--size", options.size.toString());
    }
    for (const Dialogue::Turn& turn : options.dialogue->turns) {
        words.add("--send", turn.message.toString());
        if (!options.isOneWay) words.add("--expect", turn.answer.toString());
        words.add("--weights", apps::writeNumber(turn.weight));
    }
    const auto& [turns, firstMessage, firstAnswer] = *options.dialogue;
    if (firstMessage) words.add("--first-send", firstMessage->toString());
    if (firstAnswer) words.add("--first-expect", firstAnswer->toString());
}

void addTls(const LoadOptions& options, Words& words) {
    if (!options.tls) return;
    words.addFlag("--tls");
    if (!options.tls->verify) words.addFlag("--insecure");
    if (options.tls->resumption) words.addFlag("--resume");
    if (!options.sni.empty()) words.add("--sni", options.sni);
    const std::pair<const char*, const std::string&> files[] = {
        {"--cacert", options.tls->authority},
        {"--cert", options.tls->certificate},
        {"--key", options.tls->key}};
    for (const auto& [option, file] : files) {
        if (!file.empty()) words.add(option, file);
    }
}

void addLoop(const LoadOptions& options, Words& words) {
    words.add("--busy-poll", options.spin);
    if (!options.isOpenLoop()) {
        return words.add("--think", options.think);
    }
    const RateCurve& rate = *options.rate;
    words.add(rate.hasStages() ? "--stages" : "--rate", rate.toString());
    words.add("--arrivals", options.arrivals == Arrivals::poisson ? "poisson" : "constant");
    if (!options.reconnects) words.addFlag("--no-reconnect");
}

void addChurn(const LoadOptions& options, Words& words) {
    if (options.connectRate > 0)
        words.add("--connect-rate", apps::writeNumber(options.connectRate));
    words.add("--connect-timeout", options.connectTimeout);
    if (options.keepAlive.count() > 0) words.add("--keepalive", options.keepAlive);
    if (!options.lifetime.isLimited()) return;
    if (!options.connectOnly) words.add("--lifetime", options.lifetime.toString());
    words.add("--close", options.closing.toString());
}

}  // namespace

std::vector<std::string> loadArguments(const LoadOptions& options) {
    Words words;
    addTarget(options, words);
    addTls(options, words);
    addMessages(options, words);
    words.add("--connections", options.connections);
    if (options.messages > 0) words.add("--messages", options.messages);
    if (!options.connectOnly) {
        words.add("--pipeline", options.pipeline);
        addLoop(options, words);
    }
    words.add("--duration", options.duration);
    if (options.messages == 0) words.add("--warmup", options.warmup);
    words.add("--timeout", options.answerTimeout);
    words.add("--seed", options.seed);
    addChurn(options, words);
    words.add("--threads", options.threads);
    words.add("--selector", std::string(nio::nameOf(options.selector)));
    return words.take();
}

std::optional<std::string> notForAgents(const LoadOptions& options) {
    const OutputOptions& output = options.output;
    const std::pair<const char*, bool> given[] = {{"--json", !output.json.empty()},
                                                  {"--json-lines", !output.jsonLines.empty()},
                                                  {"--csv", !output.csv.empty()},
                                                  {"--html", !output.html.empty()},
                                                  {"--compare", !output.compare.empty()},
                                                  {"--hgrm", !output.histogram.empty()},
                                                  {"--keep-bad", !output.badFrame.empty()},
                                                  {"--agents", !options.agents.empty()},
                                                  {"--misbehave", options.misbehave.has_value()},
                                                  {"--beside", options.beside.has_value()},
                                                  {"--find-max", options.findMax.has_value()},
                                                  {"--repeat", options.repeat > 1}};
    for (const auto& [name, isGiven] : given) {
        if (isGiven) return name;
    }
    return std::nullopt;
}

}  // namespace load
