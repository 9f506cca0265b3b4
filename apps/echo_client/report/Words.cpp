#include "echo_client/report/Words.h"

#include <algorithm>

namespace load {

std::string nameOf(apps::Framing framing) {
    for (const auto& [name, value] : apps::framings()) {
        if (value == framing) return name;
    }
    return "";
}

std::string nameOf(Arrivals arrivals) {
    return arrivals == Arrivals::poisson ? "poisson" : "constant";
}

std::string connectionsOf(std::size_t made, std::size_t asked) {
    return made <= asked
               ? std::to_string(made) + " of " + std::to_string(asked)
               : std::to_string(made) + " opened, " + std::to_string(asked) + " concurrent";
}

std::size_t columnsOf(const std::string& text) {
    const auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string padded(std::string text, std::size_t columns) {
    const std::size_t has = columnsOf(text);
    return has < columns ? text.append(columns - has, ' ') : text;
}

std::string rightAligned(const std::string& text, std::size_t columns) {
    const std::size_t has = columnsOf(text);
    return has < columns ? std::string(columns - has, ' ') + text : text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
    if (columnsOf(text) <= columns) return text;
    std::string lines;
    std::string line;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t wordAt = std::min(text.find_first_not_of(' ', at), text.size());
        const std::size_t end = std::min(text.find(' ', wordAt), text.size());
        const std::string word = text.substr(at, end - at);
        if (columnsOf(line) + columnsOf(word) > columns && columnsOf(line) > indent) {
            lines += line + "\n";
            line = std::string(indent, ' ') + text.substr(wordAt, end - wordAt);
        } else {
            line += word;
        }
        at = end;
    }
    return lines + line;
}

std::string row(const std::string& label, const std::string& value) {
    std::string text = wrapped(padded(label, labelColumns) + value, labelColumns);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

}  // namespace load
