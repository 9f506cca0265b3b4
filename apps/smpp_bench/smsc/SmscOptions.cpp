#include "smpp_bench/smsc/SmscOptions.h"

#include <nio/sys/SocketAddress.h>

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "common/ServerOptions.h"

namespace smppbench {

namespace {

using namespace std::chrono_literals;
using apps::addCount;
using apps::addParsed;
using apps::addTime;

constexpr std::uint64_t most = 1'000'000'000;
constexpr std::uint64_t mostId = (std::uint64_t{1} << 48) - 1 - most;  // ids rise from there

const std::map<std::string, Receipts> receiptChoices{
    {"none", Receipts::none}, {"all", Receipts::all}, {"requested", Receipts::requested}};
const std::map<std::string, ReceiptForm> receiptForms{
    {"text", ReceiptForm::text}, {"tlv", ReceiptForm::tlv}, {"both", ReceiptForm::both}};

void addLink(CLI::App& app, SmscOptions& options) {
    apps::addHost(app, options.host, "Host name or address to listen on");
    apps::addPort(app, options.port, 0, "TCP port; 0: any free port");
    apps::addKeepAlive(app, options.keepAlive)->default_str("none");
    app.add_option("--system-id", options.systemId, "system_id that may bind")
        ->capture_default_str();
    app.add_option("--password", options.password, "Its password")->capture_default_str();
    app.add_flag("--any-account", options.anyAccount, "Accept every system_id and password");
    const auto isNoAddress = [](std::string& text) {
        return nio::SocketAddress::parse(text) ? std::string()
                                               : "'" + text + "' is not ADDRESS:PORT";
    };
    app.add_option("--outbind", options.outbind,
                   "Connect to this numeric address and send outbind, until\na bind arrives")
        ->type_name("ADDRESS:PORT")
        ->check(CLI::Validator(isNoAddress, ""));
}

void addAnswers(CLI::App& app, SmscOptions& options) {
    apps::addChoice(app, "--id-form", options.idForm, idForms(), "decimal",
                    "message_id in answers: decimal, hex, hex-upper, padded or\nuuid");
    addCount(app, "--first-id", options.firstId, 0, mostId,
             "First message_id; 0: derived from the clock");
    addTime(app, "--latency", options.latency, 0s, apps::longestTime,
            "Delay of each submit_sm_resp");
    addParsed(app, "--throttle-above", options.throttleAbove, apps::parseRate, "RATE",
              "Answer submits above this rate per second with\nESME_RTHROTTLED");
    addCount(app, "--drop-link-every", options.dropEvery, 0, most,
             "Reset the connection at every N-th submit, without an\nanswer; 0: never");
}

void addReceipts(CLI::App& app, SmscOptions& options) {
    apps::addChoice(app, "--receipts", options.receipts.which, receiptChoices, "requested",
                    "Messages that get a receipt: none, all or requested\n(registered_delivery)");
    apps::addChoice(app, "--receipt-form", options.receipts.form, receiptForms, "both",
                    "Content of receipts: text, tlv or both");
    auto forms = idForms();
    forms["same"] = IdForm::decimal;  // replaced below
    apps::addChoice(app, "--receipt-id-form", options.receipts.idForm, forms, "same",
                    "message_id in receipts: a form of --id-form, or same");
    addParsed(app, "--receipt-delay", options.receipts.delay, &apps::Delay::parse, "TIME",
              "Delay from a submit to its receipt: 50ms; 1ms..10ms (uniform\n"
              "between the two); exp:50ms (exponential around this mean)")
        ->default_str("50ms");
    addTime(app, "--ack-timeout", options.acknowledgeTimeout, 1ms, apps::longestTime,
            "Resend a receipt that is not acknowledged within this time");
    app.add_flag("--receipt-before-response", options.receipts.beforeResponse,
                 "Send each receipt before the submit_sm_resp");
    app.add_flag("--duplicate-receipts", options.receipts.twice, "Send each receipt twice");
    addCount(app, "--deliver-window", options.deliverWindow, 1, most,
             "Outstanding deliver_sm per bind");
}

void addMo(CLI::App& app, MoOptions& mo) {
    addParsed(app, "--mo", mo.rate, apps::parseRate, "RATE",
              "Mobile-originated messages per second; default: none");
    const auto store = [&mo](const std::vector<std::string>& words) {
        mo.to = apps::splitList("--mo-to", words);
    };
    app.add_option_function<std::vector<std::string>>("--mo-to", store,
                                                      "Their destination addresses, in turn")
        ->type_name("NUMBER,…")
        ->default_str("12345");
}

}  // namespace

CLI::App* addSmsc(CLI::App& app, SmscOptions& options) {
    CLI::App* smsc = app.add_subcommand("smsc", "An SMSC that accepts messages, with receipts");
    addLink(*smsc, options);
    addAnswers(*smsc, options);
    addReceipts(*smsc, options);
    addMo(*smsc, options.mo);
    smsc->callback([smsc, &options] {
        const CLI::Option* form = smsc->get_option("--receipt-id-form");
        if (form->count() == 0 || form->as<std::string>() == "same") {
            options.receipts.idForm = options.idForm;
        }
    });
    return smsc;
}

}  // namespace smppbench
