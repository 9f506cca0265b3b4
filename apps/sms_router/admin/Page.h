// The status page: one self-contained document, the same for everybody. Its markup, style and
// script are the files beside this one; the scripts are one strict script, and share names. All
// that it shows of the router it fetches from status.json each second, so no name of a peer is ever
// part of its markup; the script sets texts, never markup.
//
// Style and script are inline; the policy names them by their digest, and nothing else may be
// loaded or run. Colours of text have a contrast of at least 4.5 to what they stand on.
//
// Thread: any.
#pragma once

#include <string>

namespace router::page {

const std::string& statusPage();
// Asks for the token; `wrong`: the one that was given is.
std::string tokenPage(bool wrong);
// The Content-Security-Policy under which both work.
const std::string& contentPolicy();

}  // namespace router::page
