#include "common/CommandLine.h"
#include "smpp_bench/esme/RunEsme.h"
#include "smpp_bench/smsc/RunSmsc.h"

namespace {

constexpr const char* purpose =
    "Tests an SMSC or an SMPP gateway: ESMEs that send messages and check every answer\n"
    "and receipt, and an SMSC that a gateway can connect to.";

constexpr const char* examples =
    "\nsmpp-bench SUBCOMMAND --help lists the options of a subcommand.\n"
    "\nExamples:\n"
    "  smpp-bench esme --host smsc.example.org --system-id me --password secret --messages 1 "
    "--show\n"
    "  smpp-bench esme --port 2775 --binds 10 --window 100 --duration 30s --registered\n"
    "  smpp-bench esme --port 2775 --rate 500 --duration 1m --json\n"
    "  smpp-bench smsc --port 2776 --any-account\n"
    "  smpp-bench smsc --port 2776 --latency 20ms --throttle-above 100 --id-form hex";

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess();
    CLI::App app(purpose, "smpp-bench");
    apps::addVersion(app, "smpp-bench");
    app.require_subcommand(0, 1);  // none is checked below: an unknown one is named first
    smppbench::SmscOptions smscOptions;
    smppbench::EsmeOptions esmeOptions;
    const CLI::App* smsc = smppbench::addSmsc(app, smscOptions);
    smppbench::addEsme(app, esmeOptions);
    app.footer(examples);  // last: subcommands inherit it
    if (const std::optional<int> over = apps::parse(app, argc, argv)) return *over;
    if (app.get_subcommands().empty()) {
        return apps::fail("smpp-bench", "a subcommand is required: esme or smsc (see --help)",
                          apps::exitUsage);
    }
    try {
        return smsc->parsed() ? smppbench::runSmsc(smscOptions) : smppbench::runEsme(esmeOptions);
    } catch (const std::exception& error) {
        return apps::fail("smpp-bench", error.what(), apps::exitFailed);
    }
}
