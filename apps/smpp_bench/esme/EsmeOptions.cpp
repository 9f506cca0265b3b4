#include "smpp_bench/esme/EsmeOptions.h"

#include <limits>

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "common/ServerOptions.h"
#include "smpp_bench/Stamp.h"
#include "smpp_bench/esme/Measurement.h"

namespace smppbench {

namespace {

using namespace std::chrono_literals;
using apps::addCount;
using apps::addParsed;
using apps::addTime;

constexpr std::uint64_t mostPayload = 254;
constexpr std::uint64_t most = 1'000'000'000;

constexpr std::size_t mostSystemId = 15;
constexpr std::size_t mostPassword = 64;  // more than the specification has: SMSCs differ

// Empty if the field has room for the text.
std::string whyTooLong(const std::string& text, std::size_t longest) {
    if (text.size() <= longest) return {};
    return "'" + text + "' has more than " + std::to_string(longest) + " characters";
}

CLI::Option* addText(CLI::App& app, const char* name, std::string& target, std::size_t longest,
                     const char* help) {
    const auto isTooLong = [longest](std::string& text) { return whyTooLong(text, longest); };
    return app.add_option(name, target, help)
        ->capture_default_str()
        ->check(CLI::Validator(isTooLong, ""));
}

AccountName parseAccount(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
        throw CLI::ValidationError("--accounts", "'" + text + "' is not SYSTEM_ID:PASSWORD");
    }
    AccountName name{text.substr(0, colon), text.substr(colon + 1)};
    for (const std::string& why :
         {whyTooLong(name.systemId, mostSystemId), whyTooLong(name.password, mostPassword)}) {
        if (!why.empty()) throw CLI::ValidationError("--accounts", why);
    }
    return name;
}

void addAccounts(CLI::App& app, EsmeOptions& options) {
    AccountName& first = options.accounts.front();
    CLI::Option* id =
        addText(app, "--system-id", first.systemId, mostSystemId, "system_id of the binds");
    CLI::Option* password =
        addText(app, "--password", first.password, mostPassword, "Their password");
    const auto store = [&options](const std::vector<std::string>& names) {
        options.accounts.clear();
        for (const std::string& name : apps::splitList("--accounts", names)) {
            options.accounts.push_back(parseAccount(name));
        }
    };
    app.add_option_function<std::vector<std::string>>(
           "--accounts", store, "Several accounts, which get the binds in turn")
        ->type_name("SYSTEM_ID:PASSWORD,…")
        ->excludes(id)
        ->excludes(password);
}

void addLinks(CLI::App& app, EsmeOptions& options) {
    apps::addHost(app, options.host, "SMSC or gateway: host name or numeric address");
    apps::addPort(app, options.port, 1, "Its TCP port");
    apps::addKeepAlive(app, options.keepAlive)->default_str("none");
    addAccounts(app, options);
    addCount(app, "--binds", options.binds, 1, most, "Binds, of all accounts together");
    apps::addChoice(app, "--kind", options.transceivers,
                    std::map<std::string, bool>{{"trx", true}, {"tx+rx", false}}, "trx",
                    "trx: transceivers; tx+rx: as many transmitters and as many\nreceivers");
    app.add_flag("--reconnect", options.reconnect, "Bind again after a connection is lost");
}

void addLoad(CLI::App& app, EsmeLoad& load) {
    addCount(app, "--window", load.window, 0, most,
             "Outstanding submit_sm per bind; 0: the binds stay idle");
    addTime(app, "--duration", load.duration, 0s, apps::longestTime, "How long to send messages");
    addTime(app, "--warm-up", load.warmUp, 0s, apps::longestTime,
            "First part of that time, which is not measured");
    addCount(app, "--messages", load.messages, 0, most,
             "Send this many messages instead; 0: for --duration");
    addParsed(app, "--rate", load.rate, apps::parseRate, "RATE",
              "Maximum messages per second, of all binds; default: as\nmany as the windows allow");
    addCount(app, "--payload-octets", load.payloadOctets, Stamp::octets, mostPayload,
             "Length of short_message");
    addText(app, "--from", load.from, 20, "source_addr");
    addText(app, "--to-prefix", load.toPrefix, 14, "destination_addr: this prefix and six digits");
}

void addChecks(CLI::App& app, EsmeChecks& checks) {
    app.add_flag("--registered", checks.registered, "Request delivery receipts and check them");
    addTime(app, "--wait-receipts", checks.waitReceipts, 0s, apps::longestTime,
            "How long to wait for the last receipt");
    addTime(app, "--settle", checks.settle, 0s, apps::longestTime,
            "How long to watch for duplicates after the last receipt");
    addTime(app, "--answer-timeout", checks.answerTimeout, 1ms, apps::longestTime,
            "How long to wait for the last submit_sm_resp; with\n--messages also for the next one");
    app.add_flag("--allow-refusals", checks.allowRefusals, "Accept answers other than ESME_ROK");
    app.add_flag("--allow-duplicates", checks.allowDuplicates, "Accept receipts that arrive twice");
}

nio::Result<int> parsePid(const std::string& text) {
    const auto pid = apps::parseCountWithin(1, std::numeric_limits<int>::max(), text);
    if (!pid) return pid.error();
    const int process = static_cast<int>(pid.value());
    if (cpuTimeOf(process)) return process;
    return nio::Error(std::errc::invalid_argument, "there is no process " + text);
}

void checkTogether(const EsmeLoad& load) {
    if (load.isIdle() && load.messages > 0) {
        throw CLI::ValidationError("--messages", "--window 0 sends none");
    }
    if (load.messages == 0 && !load.isIdle() && load.warmUp >= load.duration) {
        throw CLI::ValidationError("--warm-up", "must be shorter than --duration");
    }
}

}  // namespace

CLI::App* addEsme(CLI::App& app, EsmeOptions& options) {
    CLI::App* esme = app.add_subcommand("esme", "ESMEs that send messages and check answers");
    addLinks(*esme, options);
    addLoad(*esme, options.load);
    addChecks(*esme, options.checks);
    addParsed(*esme, "--server-pid", options.serverPid, parsePid, "PID",
              "Report the CPU time of this process per message");
    esme->add_flag("--show", options.show, "Print every message, answer and receipt");
    esme->add_flag("--json", options.json, "Print the result as one line of JSON");
    esme->callback([&options] { checkTogether(options.load); });
    return esme;
}

}  // namespace smppbench
