#include "sms_router/admin/Page.h"

#include "Assets.h"
#include "common/Digest.h"

namespace router::page {

namespace {

const std::string& script() {
    static const std::string all = [] {
        std::string text = "\n'use strict';\n";
        for (const std::string_view part : {assets::words_js, assets::rates_js, assets::tables_js,
                                            assets::forms_js, assets::live_js}) {
            text += part;
        }
        return text;
    }();
    return all;
}

const std::string& styleSheet() {
    static const std::string all = "\n" + std::string(assets::style_css);
    return all;
}

std::string document(const std::string& body, const std::string& end) {
    return R"(<!DOCTYPE html>
<html lang="en"><head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>sms-router</title>
<style>)" + styleSheet() +
           "</style>\n</head><body>\n" + body + end + "</body></html>\n";
}

}  // namespace

const std::string& statusPage() {
    static const std::string page =
        document(std::string(assets::status_html), "<script>" + script() + "</script>\n");
    return page;
}

std::string tokenPage(bool wrong) {
    const std::string remark =
        wrong ? "<p class=\"banner bad\" role=\"alert\">This is not the token.</p>\n" : "";
    return document(R"(<main class="narrow">
<p class="program">sms-router</p>
<h1>Status</h1>
)" + remark + R"(<form class="card" method="post" action="./">
<input type="text" autocomplete="username" hidden>
<label for="token">Token, as the configuration has it</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Show the status</button>
</form>
</main>
)",
                    "");
}

const std::string& contentPolicy() {
    static const std::string policy =
        "default-src 'none'; script-src '" + apps::policyHash(script()) + "'; style-src '" +
        apps::policyHash(styleSheet()) +
        "'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'";
    return policy;
}

}  // namespace router::page
