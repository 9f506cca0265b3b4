#include "sms_router/admin/Page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/Digest.h"

namespace {

using router::page::contentPolicy;
using router::page::statusPage;
using testing::HasSubstr;
using testing::Not;

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    if (from == text.npos) return "";
    const std::size_t inside = from + begin.size();
    return text.substr(inside, text.find(end, inside) - inside);
}

TEST(StatusPage, ThePolicyNamesItsStyleAndItsScript) {
    for (const std::string& page : {statusPage(), router::page::tokenPage(false)}) {
        const std::string style = between(page, "<style>", "</style>");
        EXPECT_THAT(contentPolicy(), HasSubstr("style-src '" + apps::policyHash(style) + "'"));
    }
    const std::string script = between(statusPage(), "<script>", "</script>");
    EXPECT_THAT(script, HasSubstr("'use strict';"));
    EXPECT_THAT(contentPolicy(), HasSubstr("script-src '" + apps::policyHash(script) + "'"));
    EXPECT_THAT(contentPolicy(), Not(HasSubstr("unsafe")));
}

TEST(StatusPage, HasNoInlineStylesHandlersOrAddressesOfOthers) {
    const std::string page = statusPage();
    const std::string markup = page.substr(page.find("<body>"), page.find("<script>"));
    for (const char* const part : {" style=", " onclick=", " onload=", "javascript:"}) {
        EXPECT_THAT(markup, Not(HasSubstr(part)));
    }
    for (const char* const part :
         {"://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("}) {
        EXPECT_THAT(page, Not(HasSubstr(part)));
    }
}

}  // namespace
