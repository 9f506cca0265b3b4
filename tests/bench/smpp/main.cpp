#include "bench/smpp/esme/RunEsme.h"
#include "bench/smpp/smsc/RunSmsc.h"
#include "common/CommandLine.h"

int main(int argc, char** argv) {
    apps::prepareProcess();
    CLI::App app(
        "The two ends of a router of short messages, simulated: a message centre and ESMEs.",
        "smpp-bench");
    apps::addVersion(app, "smpp-bench");
    app.require_subcommand(1);
    smppbench::SmscOptions smscOptions;
    smppbench::EsmeOptions esmeOptions;
    const CLI::App* smsc = smppbench::addSmsc(app, smscOptions);
    smppbench::addEsme(app, esmeOptions);
    if (const std::optional<int> over = apps::parse(app, argc, argv)) return *over;
    try {
        return smsc->parsed() ? smppbench::runSmsc(smscOptions) : smppbench::runEsme(esmeOptions);
    } catch (const std::exception& error) {
        return apps::fail("smpp-bench", error.what(), apps::exitFailed);
    }
}
