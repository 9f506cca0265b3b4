#include "bench/smpp/esme/EsmeOptions.h"

#include "bench/smpp/Stamp.h"
#include "common/CommandLine.h"
#include "common/OptionTypes.h"

namespace smppbench {

namespace {

using namespace std::chrono_literals;
using apps::addCount;
using apps::addParsed;
using apps::addTime;

constexpr std::uint64_t mostPayload = 254;
constexpr std::uint64_t most = 1'000'000'000;

AccountName parseAccount(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
        throw CLI::ValidationError("--accounts", "'" + text + "' is not SYSTEM_ID:PASSWORD");
    }
    return {text.substr(0, colon), text.substr(colon + 1)};
}

void addAccounts(CLI::App& app, EsmeOptions& options) {
    AccountName& first = options.accounts.front();
    CLI::Option* id = app.add_option("--system-id", first.systemId)->capture_default_str();
    CLI::Option* password = app.add_option("--password", first.password)->capture_default_str();
    const auto store = [&options](const std::vector<std::string>& names) {
        options.accounts.clear();
        for (const std::string& name : names) options.accounts.push_back(parseAccount(name));
    };
    app.add_option_function<std::vector<std::string>>("--accounts", store,
                                                      "Several accounts; binds are dealt out")
        ->delimiter(',')
        ->type_name("SYSTEM_ID:PASSWORD,…")
        ->excludes(id)
        ->excludes(password);
}

void addLinks(CLI::App& app, EsmeOptions& options) {
    app.add_option("--host", options.host, "The router (numeric)")->capture_default_str();
    app.add_option("--port", options.port, "Its TCP port")->capture_default_str();
    addAccounts(app, options);
    addCount(app, "--binds", options.binds, 1, most, "Binds of all accounts together");
    apps::addChoice(app, "--kind", options.transceivers,
                    std::map<std::string, bool>{{"trx", true}, {"tx+rx", false}}, "trx",
                    "trx: transceivers; tx+rx: so many transmitters, and as many receivers");
    app.add_flag("--reconnect", options.reconnect, "Bind again when a connection is lost");
}

void addLoad(CLI::App& app, EsmeOptions& options) {
    addCount(app, "--window", options.window, 0, most,
             "Unanswered submit_sm per bind; 0: idle binds");
    addTime(app, "--duration", options.duration, 0s, apps::longestTime, "How long to send");
    addTime(app, "--warm-up", options.warmUp, 0s, apps::longestTime,
            "Of that time, what is not measured");
    addCount(app, "--messages", options.messages, 0, most,
             "So many instead, however long it takes");
    addParsed(app, "--rate", options.rate, apps::parseRate, "RATE", "At most so many per second");
    addCount(app, "--payload-octets", options.payloadOctets, Stamp::octets, mostPayload,
             "Octets of short_message");
    app.add_option("--from", options.from, "source_addr")->capture_default_str();
    app.add_option("--to-prefix", options.toPrefix, "destination_addr is this and six digits")
        ->capture_default_str();
}

void addChecks(CLI::App& app, EsmeOptions& options) {
    app.add_flag("--registered", options.registered, "Ask for receipts, and check them");
    addTime(app, "--wait-receipts", options.waitReceipts, 0s, apps::longestTime,
            "For the last receipt");
    addTime(app, "--settle", options.settle, 0s, apps::longestTime,
            "After the last receipt, for one too many");
    addTime(app, "--answer-timeout", options.answerTimeout, 0s, apps::longestTime,
            "For the last answers");
    app.add_flag("--allow-refusals", options.allowRefusals,
                 "Answers that are not ESME_ROK do not fail the run");
    app.add_flag("--allow-duplicates", options.allowDuplicates,
                 "Receipts that come twice do not fail the run");
}

}  // namespace

CLI::App* addEsme(CLI::App& app, EsmeOptions& options) {
    CLI::App* esme = app.add_subcommand("esme", "ESMEs that send as fast as they may, and check");
    addLinks(*esme, options);
    addLoad(*esme, options);
    addChecks(*esme, options);
    esme->add_option("--server-pid", options.serverPid, "Report the CPU time of this process");
    esme->add_flag("--show", options.show, "Print each message, answer and receipt");
    esme->add_flag("--json", options.json, "One line of JSON instead of text");
    return esme;
}

}  // namespace smppbench
