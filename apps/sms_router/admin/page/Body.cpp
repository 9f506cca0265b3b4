#include "sms_router/admin/page/Parts.h"

namespace router::page {

namespace {

std::string tile(const std::string& id, const std::string& label, bool curve) {
    const std::string spark = "<span class=\"axis\"><span id=\"" + id +
                              "-span\"></span><span id=\"" + id +
                              "-most\"></span></span><svg class=\"spark\" id=\"" + id +
                              "-curve\" viewBox=\"0 0 119 30\" preserveAspectRatio=\"none\" "
                              "aria-hidden=\"true\"><path class=\"area\"/>"
                              "<path class=\"line\"/></svg>";
    return "<div class=\"tile\" id=\"" + id + "-tile\"><dt>" + label + "</dt><dd><b id=\"" + id +
           "\">–</b><span id=\"" + id + "-more\"></span>" + (curve ? spark : "") + "</dd></div>\n";
}

std::string tiles() {
    return "<dl class=\"tiles\">\n" + tile("in", "Messages in / s", true) +
           tile("accepted", "Accepted / s", true) + tile("receipts", "Receipts / s", true) +
           tile("bound", "Binds of accounts", false) + tile("live", "Connectors live", false) +
           tile("kept", "Queued for accounts", false) + tile("alarm", "Alarms", false) + "</dl>\n";
}

std::string stage(const std::string& id, const std::string& label) {
    const auto cell = [&](const char* name, const char* head) {
        return "<td role=\"cell\" class=\"number\" data-label=\"" + std::string(head) + "\" id=\"" +
               id + "-" + name + "\">–</td>";
    };
    return "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\">" + label + "</th>" +
           cell("recent", "last minute") + cell("all", "since the start") + cell("count", "count") +
           "</tr>\n";
}

std::string fact(const std::string& id, const std::string& label) {
    return "<dt>" + label + "</dt><dd id=\"" + id + "\">–</dd>\n";
}

std::string field(const std::string& name, const std::string& label, const std::string& more) {
    return "<div><label for=\"ask-" + name + "\">" + label + "</label><input id=\"ask-" + name +
           "\" name=\"" + name + "\" autocomplete=\"off\" " + more + "></div>\n";
}

const char* const top = R"(<main>
<header>
<div>
<p class="program">sms-router <span id="version"></span></p>
<h1>Status</h1>
<p class="state"><span class="lamp" id="lamp"></span><span id="state" role="status">Connecting
…</span><span class="dim" id="uptime"></span></p>
</div>
<button type="button" id="reload">Reload configuration</button>
</header>
<noscript><p class="banner bad">This page needs JavaScript; status.json and metrics do
not.</p></noscript>
<div role="alert"><p class="banner bad" id="lost" hidden></p></div>
<div role="status"><div class="banner" id="reloaded" hidden><p id="reloaded-text"></p>
<ul id="mistakes"></ul></div></div>
<div role="alert"><div class="banner bad" id="alarms" hidden><ul id="alarm-list"></ul></div></div>
<p class="unseen" role="status" id="news"></p>
)";

const char* const lists = R"(
<section class="card" aria-labelledby="connectors-title">
<h2 id="connectors-title" tabindex="-1">Connectors</h2>
<table class="rows" role="table" id="connectors" aria-labelledby="connectors-title">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col">Name</th><th role="columnheader" scope="col">State</th>
<th role="columnheader" scope="col" class="number">Binds</th>
<th role="columnheader" scope="col">Window in use</th>
<th role="columnheader" scope="col" class="number">Queue</th>
<th role="columnheader" scope="col" class="number">Sent / s</th>
<th role="columnheader" scope="col" class="number">Refused / s</th>
<th role="columnheader" scope="col">Last error</th>
<th role="columnheader" scope="col"><span class="unseen">Action</span></th>
</tr></thead><tbody role="rowgroup"></tbody></table>
<p class="none" id="no-connectors" hidden>No connector is configured.</p>
</section>
<section class="card" aria-labelledby="accounts-title">
<div class="above"><h2 id="accounts-title" tabindex="-1">Accounts</h2>
<input type="search" id="filter" aria-label="Show accounts whose name has" placeholder="Filter"
hidden></div>
<table class="rows" role="table" id="accounts" aria-labelledby="accounts-title">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col">Name</th>
<th role="columnheader" scope="col" class="number">Binds</th>
<th role="columnheader" scope="col" class="number">In / s</th>
<th role="columnheader" scope="col" class="number">Accepted / s</th>
<th role="columnheader" scope="col" class="number">Refused / s</th>
<th role="columnheader" scope="col" class="number">Receipts / s</th>
<th role="columnheader" scope="col" class="number">MO / s</th>
<th role="columnheader" scope="col" class="number">Kept</th>
<th role="columnheader" scope="col">Last error</th>
</tr></thead><tbody role="rowgroup"></tbody></table>
<p class="none" id="no-accounts" hidden>No account is configured.</p>
</section>
)";

const char* const stagesHead = R"(<section class="card" aria-labelledby="stages-title">
<h2 id="stages-title">How long a message takes</h2>
<table class="rows" role="table" aria-labelledby="stages-title">
<thead role="rowgroup"><tr role="row"><td></td>
<th role="columnheader" scope="col" class="number">last minute</th>
<th role="columnheader" scope="col" class="number">since the start</th>
<th role="columnheader" scope="col" class="number">count</th></tr></thead><tbody role="rowgroup">
)";

const char* const stagesTail = R"(</tbody></table>
<p class="dim">Median and 99th percentile: upper bounds, in powers of two.</p>
</section>
)";

std::string stages() {
    return stagesHead + stage("windowWait", "Waiting for the window") +
           stage("handOff", "Between dispatchers") + stage("smsc", "SMSC") +
           stage("commit", "To disk") + stagesTail;
}

std::string facts() {
    return R"(<section class="card" aria-labelledby="facts-title">
<h2 id="facts-title">Also counted</h2>
<dl class="facts">
)" + fact("connections", "Open connections") +
           fact("refusedBinds", "Refused binds") + fact("malformed", "Malformed PDUs") +
           fact("duplicateReceipts", "Duplicate receipts") +
           fact("unmatchedReceipts", "Receipts of unknown messages") +
           fact("durability", "A submit is answered once it is") + fact("commits", "Commits / s") +
           fact("failedCommits", "Failed commits") + fact("storeQueued", "Waiting for a commit") +
           "</dl>\n</section>\n";
}

std::string explain() {
    return R"(<section class="card" aria-labelledby="explain-title">
<h2 id="explain-title">Which route would this message take?</h2>
<form id="explain">
<div class="fields">
)" + field("account", "Account", "list=\"account-names\"") +
           field("connector", "Or connector", "list=\"connector-names\"") +
           field("from", "From", "") + field("to", "To", "required inputmode=\"tel\"") +
           field("service_type", "Service type", "maxlength=\"5\"") +
           field("data_coding", "Data coding",
                 "placeholder=\"0\" pattern=\"\\s*([0-9]{1,3}|"
                 "0[xX][0-9a-fA-F]{1,2})\\s*\" title=\"0 to 255, or 0x00 to 0xFF\"") +
           R"(</div>
<datalist id="account-names"></datalist>
<datalist id="connector-names"></datalist>
<button type="submit" class="main">Explain</button>
</form>
<div role="status"><p class="banner bad" id="explain-error" hidden></p>
<ul id="lines" hidden></ul></div>
</section>
)";
}

}  // namespace

std::string statusBody() {
    return top + tiles() + lists + "<div class=\"columns\">\n" + stages() + facts() + "</div>\n" +
           explain() + "</main>\n";
}

}  // namespace router::page
