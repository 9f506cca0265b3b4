#include "smpp_bench/MessageIds.h"

#include <charconv>
#include <cstdio>

namespace smppbench {

namespace {

constexpr std::string_view uuidStart = "00000000-0000-4000-8000-";

const char* formatOf(IdForm form) {
    switch (form) {
        case IdForm::decimal: return "%llu";
        case IdForm::hex: return "%llx";
        case IdForm::hexUpper: return "%llX";
        case IdForm::padded: return "%020llu";
        case IdForm::uuid: return "00000000-0000-4000-8000-%012llx";
    }
    return "%llu";
}

bool isDecimal(IdForm form) {
    return form == IdForm::decimal || form == IdForm::padded;
}

}  // namespace

const std::map<std::string, IdForm>& idForms() {
    static const std::map<std::string, IdForm> forms{{"decimal", IdForm::decimal},
                                                     {"hex", IdForm::hex},
                                                     {"hex-upper", IdForm::hexUpper},
                                                     {"padded", IdForm::padded},
                                                     {"uuid", IdForm::uuid}};
    return forms;
}

std::string writeId(std::uint64_t number, IdForm form) {
    char text[64];
    const auto value = static_cast<unsigned long long>(number);
    const int length = std::snprintf(text, sizeof text, formatOf(form), value);
    return {text, static_cast<std::size_t>(length)};
}

std::optional<std::uint64_t> readId(std::string_view text, IdForm form) {
    if (form == IdForm::uuid) {
        if (!text.starts_with(uuidStart)) return std::nullopt;
        text.remove_prefix(uuidStart.size());
    }
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, isDecimal(form) ? 10 : 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

}  // namespace smppbench
