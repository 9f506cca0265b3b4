#include "common/Printable.h"

namespace apps {

namespace {

bool isControl(char c) {
    return (c >= 0 && c < ' ') || c == '\x7f';
}

// U+0080 to U+009F: a terminal may take U+009B for ESC [.
bool isSecondSet(std::string_view text) {
    return text.size() >= 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
    std::string safe;
    safe.reserve(text.size());
    for (; !text.empty(); text.remove_prefix(1)) {
        const bool two = isSecondSet(text);
        if (two) text.remove_prefix(1);
        const bool harmless = !isControl(text[0]) || kept.find(text[0]) != kept.npos;
        safe += !two && harmless ? text[0] : '?';
    }
    return safe;
}

}  // namespace apps
