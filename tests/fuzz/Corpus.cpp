#include "fuzz/Corpus.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "simulation/Arguments.h"

namespace fuzz {

namespace {

std::optional<std::string> unescaped(std::string_view text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            bytes += text[at];
            continue;
        }
        const std::string_view digits = text.substr(at + 1, 2);
        std::uint8_t byte = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (digits.size() < 2 || error != std::errc{} || end != digits.data() + 2) return {};
        bytes += static_cast<char>(byte);
        at += 2;
    }
    return bytes;
}

}  // namespace

std::vector<Input> readCorpus(std::istream& file, const std::string& path) {
    std::vector<Input> inputs;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        const std::size_t colon = line.find(':');
        std::optional<std::string> bytes;
        if (colon != std::string::npos) bytes = unescaped(std::string_view(line).substr(colon + 1));
        if (!bytes) {
            throw simulation::Mistake(path + ":" + std::to_string(number) +
                                      ": not 'NAME:CONTENT' with %XX escapes");
        }
        inputs.push_back({path + ":" + line.substr(0, colon), std::move(*bytes)});
    }
    return inputs;
}

}  // namespace fuzz
