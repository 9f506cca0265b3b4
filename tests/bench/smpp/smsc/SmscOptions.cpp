#include "bench/smpp/smsc/SmscOptions.h"

#include "common/CommandLine.h"
#include "common/OptionTypes.h"

namespace smppbench {

namespace {

using namespace std::chrono_literals;
using apps::addCount;
using apps::addParsed;
using apps::addTime;

constexpr std::uint64_t most = 1'000'000'000;

const std::map<std::string, Receipts> receiptChoices{
    {"none", Receipts::none}, {"all", Receipts::all}, {"requested", Receipts::requested}};
const std::map<std::string, ReceiptForm> receiptForms{
    {"text", ReceiptForm::text}, {"tlv", ReceiptForm::tlv}, {"both", ReceiptForm::both}};

void addLink(CLI::App& app, SmscOptions& options) {
    app.add_option("--host", options.host, "Address to listen on")->capture_default_str();
    app.add_option("--port", options.port, "TCP port; 0 takes a free one")->capture_default_str();
    app.add_option("--system-id", options.systemId, "Who may bind")->capture_default_str();
    app.add_option("--password", options.password, "With which password")->capture_default_str();
    app.add_flag("--any-account", options.anyAccount, "Anybody may bind, with any password");
    app.add_option("--outbind", options.outbind, "Connect to HOST:PORT and send outbind there")
        ->type_name("HOST:PORT");
}

void addAnswers(CLI::App& app, SmscOptions& options) {
    apps::addChoice(app, "--id-form", options.idForm, idForms(), "decimal",
                    "message_id in answers: decimal, hex, hex-upper, padded, uuid");
    app.add_option("--first-id", options.firstId, "Number of the first message; 0: from the clock");
    addTime(app, "--latency", options.latency, 0s, apps::longestTime,
            "From a submit to its answer");
    addParsed(app, "--throttle-above", options.throttleAbove, apps::parseRate, "RATE",
              "More submits than this per second are answered ESME_RTHROTTLED");
    addCount(app, "--drop-link-every", options.dropEvery, 0, most,
             "Every N-th submit resets its connection and is not taken; 0: none does");
}

void addReceipts(CLI::App& app, SmscOptions& options) {
    apps::addChoice(app, "--receipts", options.receipts, receiptChoices, "requested",
                    "For which messages: none, all, requested");
    apps::addChoice(app, "--receipt-form", options.receiptForm, receiptForms, "both",
                    "Where a receipt says what it says: text, tlv, both");
    auto forms = idForms();
    forms["same"] = IdForm::decimal;  // replaced below
    apps::addChoice(app, "--receipt-id-form", options.receiptIdForm, forms, "same",
                    "message_id in receipts: as --id-form has it, or same");
    addTime(app, "--receipt-delay", options.receiptDelay, 0s, apps::longestTime,
            "From a submit to its receipt");
    addTime(app, "--ack-timeout", options.acknowledgeTimeout, 0s, apps::longestTime,
            "A receipt that is not acknowledged is sent again after so long");
    app.add_flag("--receipt-before-response", options.receiptBeforeResponse,
                 "The receipt leaves at once, the answer after it");
    app.add_flag("--duplicate-receipts", options.duplicateReceipts, "Each receipt is sent twice");
    addCount(app, "--deliver-window", options.deliverWindow, 0, most,
             "Unacknowledged deliver_sm per bind");
}

void addMo(CLI::App& app, SmscOptions& options) {
    addParsed(app, "--mo", options.moRate, apps::parseRate, "RATE",
              "deliver_sm of subscribers per second");
    app.add_option("--mo-to", options.moTo, "Numbers that they are for, in turn")
        ->delimiter(',')
        ->type_name("NUMBER,…")
        ->capture_default_str();
}

}  // namespace

CLI::App* addSmsc(CLI::App& app, SmscOptions& options) {
    CLI::App* smsc = app.add_subcommand("smsc", "A message centre without subscribers");
    addLink(*smsc, options);
    addAnswers(*smsc, options);
    addReceipts(*smsc, options);
    addMo(*smsc, options);
    smsc->callback([smsc, &options] {
        const CLI::Option* form = smsc->get_option("--receipt-id-form");
        if (form->count() == 0 || form->as<std::string>() == "same") {
            options.receiptIdForm = options.idForm;
        }
    });
    return smsc;
}

}  // namespace smppbench
