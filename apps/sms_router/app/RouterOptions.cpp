#include "sms_router/app/Commands.h"

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "common/ServerOptions.h"

namespace router {

namespace {

using Task = RouterOptions::Task;

constexpr const char* purpose =
    "Routes short messages between external applications (ESMEs) and SMS centres\n"
    "(SMSCs) by SMPP 3.4. SIGTERM or SIGINT drains and stops the router; a second one\n"
    "stops it immediately. SIGHUP reloads the configuration, SIGUSR1 reopens the file\n"
    "of message records, SIGUSR2 writes the recent events of the dispatchers.";

constexpr const char* examples =
    "\nExamples:\n"
    "  sms-router --config router.toml\n"
    "  sms-router --config router.toml --takeover /run/sms-router/takeover\n"
    "  sms-router --config router.toml --check\n"
    "  sms-router --config router.toml --set listener.esme.port=2785\n"
    "  sms-router --config router.toml --explain --account esme1 --to 41791234567\n"
    "  sms-router --config router.toml --explain --connector smsc --to 1234\n"
    "  sms-router --hash-password < password.txt\n"
    "  sms-router --make-api-key";

CLI::Validator named(const char* mistake) {
    return {[mistake](std::string& name) { return name.empty() ? mistake : ""; }, ""};
}

void addConfig(CLI::App& app, RouterOptions& options) {
    app.add_option("--config", options.configFile,
                   "Configuration file. All keys are in docs/router.toml of the\n"
                   "source, installed as share/doc/nio/router.toml")
        ->type_name("FILE")
        ->check(named("the file name must not be empty"));
    app.add_option("--set", options.settings,
                   "Override a key of the configuration file,\n"
                   "such as connector.smsc.port; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->check(CLI::Validator(
            [](std::string& text) {
                const std::size_t equals = text.find('=');
                const bool fine = equals != std::string::npos && equals > 0;
                return fine ? std::string() : "'" + text + "' is not KEY=VALUE";
            },
            ""));
}

void addTakeover(CLI::App& app, RouterOptions& options) {
    app.add_option("--takeover", options.takeover,
                   "Take over from the router that was given the same PATH,\n"
                   "which drains; and pass the listeners on to the next")
        ->type_name("PATH")
        ->check(named("the path must not be empty"));
}

void addTasks(CLI::App& app, RouterOptions& options) {
    const auto choose = [&options](Task task) {
        return [&options, task](std::int64_t) { options.task = task; };
    };
    auto* check = app.add_flag_function("--check", choose(Task::check),
                                        "Check the configuration, report its errors, and exit");
    auto* explain =
        app.add_flag_function("--explain", choose(Task::explain),
                              "Show which route a message would take, and why, and exit");
    auto* hash = app.add_flag_function("--hash-password", choose(Task::hashPassword),
                                       "Read a password from standard input, print its hash\n"
                                       "for password_hash, and exit");
    auto* key = app.add_flag_function("--make-api-key", choose(Task::makeApiKey),
                                      "Print a new key for HTTP, and its digest for api_keys,\n"
                                      "and exit");
    // A value that is no number would be an exception of another kind than CLI11's.
    for (CLI::Option* flag : {check, explain, hash, key}) flag->disable_flag_override();
    check->excludes(explain);
    for (const char* other : {"--config", "--set", "--check", "--explain"}) {
        hash->excludes(other);
        key->excludes(other);
    }
    hash->excludes(key);
    for (CLI::Option* task : {check, explain, hash, key}) {
        task->excludes("--flight-file")->excludes("--takeover");
    }
}

void addMessage(CLI::App& app, ExplainRequest& message) {
    const auto add = [&](const char* name, std::string& target, const char* help) {
        return app.add_option(name, target, help)->type_name("TEXT")->needs("--explain");
    };
    auto* to = add("--to", message.destination, "--explain: destination address");
    app.get_option("--explain")->needs(to);
    add("--from", message.source, "--explain: source address");
    auto* account = add("--account", message.account, "--explain: account of the sender");
    auto* serviceType = add("--service-type", message.serviceType, "--explain: service_type");
    auto* coding = apps::addParsed(app, "--data-coding", message.dataCoding, parseDataCoding, "N",
                                   "--explain: data_coding")
                       ->needs("--explain")
                       ->default_str("0");
    auto* connector = add("--connector", message.connector,
                          "--explain: connector that received the message, if it\n"
                          "came from an SMSC")
                          ->check(named("the connector name must not be empty"));
    for (CLI::Option* other : {account, serviceType, coding}) connector->excludes(other);
}

}  // namespace

std::optional<RouterOptions> parseRouterOptions(int argc, char** argv, int& exitCode) {
    RouterOptions options;
    CLI::App app(purpose, "sms-router");
    apps::addVersion(app, "sms-router");
    app.footer(examples);
    addConfig(app, options);
    apps::addFlightFile(app, options.flightFile,
                        "SIGUSR2; default: standard error, except\non a stall");
    addTakeover(app, options);
    addTasks(app, options);
    addMessage(app, options.message);
    app.callback([&] {
        const bool needsFile =
            options.task != Task::hashPassword && options.task != Task::makeApiKey;
        if (needsFile && options.configFile.empty()) throw CLI::RequiredError("--config");
    });
    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    return options;
}

}  // namespace router
