#include "sms_router/records/JsonText.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace router {

namespace {

bool isPlain(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

}  // namespace

// Nearly all of it is addresses and ids, which need no care.
void appendJsonText(std::string& out, std::string_view text) {
    if (std::all_of(text.begin(), text.end(), isPlain)) {
        out += '"';
        out += text;
        out += '"';
        return;
    }
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace router
