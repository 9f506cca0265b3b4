// What a test wants to know of a page: its lines, and whether it is well-formed. Made for what
// toHtml() writes, no parser of HTML.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace page_reader {

inline std::size_t countOf(const std::string& part, const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

inline std::size_t commands(const std::string& d, const std::string& letters) {
    return static_cast<std::size_t>(std::count_if(
        d.begin(), d.end(), [&](char c) { return letters.find(c) != std::string::npos; }));
}

struct Drawn {
    std::size_t said = 0;   // data-points
    std::size_t drawn = 0;  // in its path
    bool operator==(const Drawn&) const = default;
};

// What stands between two marks; `at` moves behind it. Empty: no more of it.
inline std::string between(const std::string& text, std::size_t& at, const std::string& from,
                           const std::string& to) {
    const std::size_t begin = text.find(from, at);
    const std::size_t end = begin == std::string::npos ? begin : text.find(to, begin + from.size());
    if (end == std::string::npos) return at = text.size(), "";
    at = end + to.size();
    return text.substr(begin + from.size(), end - begin - from.size());
}

inline std::string attributeOf(const std::string& tag, const std::string& name) {
    std::size_t at = 0;
    return between(tag, at, " " + name + "=\"", "\"");
}

// The tags of the lines of that name, in order.
inline std::vector<std::string> tagsOf(const std::string& html, const std::string& name) {
    std::vector<std::string> tags;
    for (std::size_t at = 0; at < html.size();) {
        const std::string tag = between(html, at, "<path class=\"line", ">");
        if (attributeOf(tag, "data-name") == name) tags.push_back(tag);
    }
    return tags;
}

inline std::vector<Drawn> linesOf(const std::string& html, const std::string& name) {
    std::vector<Drawn> lines;
    for (const std::string& tag : tagsOf(html, name)) {
        const std::string d = attributeOf(tag, "d");
        const bool stepped = d.find('H') != std::string::npos;
        lines.push_back(
            {std::stoul(attributeOf(tag, "data-points")), commands(d, stepped ? "H" : "ML")});
    }
    return lines;
}

// Empty, or what is not closed, or closed by another.
inline std::string brokenNesting(const std::string& html) {
    std::vector<std::string> open;
    for (std::size_t at = html.find("<html"); at < html.size();) {
        const std::string tag = between(html, at, "<", ">");
        const std::string name = tag.substr(0, tag.find(' '));
        if (name.empty() || name == "meta" || tag.ends_with("/")) continue;
        if (!name.starts_with("/")) {
            open.push_back(name);
        } else if (open.empty() || "/" + open.back() != name) {
            return "<" + name + ">";
        } else {
            open.pop_back();
        }
    }
    return open.empty() ? "" : "<" + open.back() + ">";
}

// A word of three letters by itself.
inline bool hasWord(const std::string& text, const std::string& word) {
    const auto isLetter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        if (!isLetter(text[at - 1]) && !isLetter(text[at + word.size()])) return true;
    }
    return false;
}

}  // namespace page_reader
