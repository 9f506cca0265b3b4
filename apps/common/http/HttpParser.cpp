#include "common/http/HttpParser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace apps {

namespace {

constexpr int notHttp = 400;
// Of a request line, beside its URL.
constexpr std::size_t methodAndVersionBytes = 64;
// Chunk extensions are read and ignored.
constexpr std::size_t chunkSizeBytes = 256;

constexpr auto textBytes = [] {
    std::array<bool, 256> isText{};
    std::fill(isText.begin() + ' ', isText.end(), true);
    isText['\t'] = true;
    isText['\x7f'] = false;
    return isText;
}();

bool isText(char byte) {
    return textBytes[static_cast<unsigned char>(byte)];
}

}  // namespace

std::size_t HttpParser::feed(std::string_view bytes) {
    std::size_t done = 0;
    while (done < bytes.size() && !isOver()) {
        const std::string_view rest = bytes.substr(done);
        const bool isBody = part_ == Part::body || part_ == Part::chunkBytes;
        done += isBody ? readBody(rest) : readLine(rest);
    }
    return done;
}

std::optional<HttpRequest> HttpParser::take() {
    if (!std::exchange(complete_, false)) return std::nullopt;
    HttpRequest request = std::move(head_.request());
    head_ = {};
    return request;
}

bool HttpParser::takeContinue() {
    return std::exchange(awaitsContinue_, false);
}

void HttpParser::refuse(int status) {
    if (status != 0) error_ = status;
}

std::size_t HttpParser::readLine(std::string_view bytes) {
    std::size_t done = 0;
    while (done < bytes.size() && error_ == 0) {
        const std::string_view rest = bytes.substr(done);
        const std::string_view text = textOf(rest);
        // Usually the whole line has come, and needs no copy.
        if (line_.empty() && rest.substr(text.size()).starts_with("\r\n") && text.size() < room()) {
            count(text.size() + 1);
            inside_ = inside_ || !text.empty();
            lineRead(text);
            return done + text.size() + 2;
        }
        keep(text);
        inside_ = inside_ || !text.empty();
        done += text.size();
        if (done == bytes.size() || error_ != 0 || !takeControl(bytes[done++])) continue;
        const std::string line = std::exchange(line_, {});
        lineRead(line);
        break;
    }
    return done;
}

// Nothing, where only the end of the line may come.
std::string_view HttpParser::textOf(std::string_view bytes) const {
    if (part_ == Part::chunkEnd || line_.ends_with('\r')) return {};
    const auto end =
        std::find_if_not(bytes.begin(), bytes.end(), [](char byte) { return isText(byte); });
    return {bytes.begin(), end};
}

bool HttpParser::takeControl(char byte) {
    const bool isBehindCr = line_.ends_with('\r');
    if (byte == '\n' && isBehindCr) {
        line_.pop_back();
        return true;
    }
    if (byte != '\r' || isBehindCr) {
        refuse(notHttp);
    } else {
        keep("\r");
    }
    return false;
}

void HttpParser::keep(std::string_view part) {
    const std::size_t fits = std::min(part.size(), room());
    line_ += part.substr(0, fits);
    count(fits);
    if (fits < part.size()) refuse(statusOfLimit());
}

void HttpParser::count(std::size_t bytes) {
    if (part_ == Part::header || part_ == Part::trailer) headerBytes_ += bytes;
}

// So many bytes more may the line have.
std::size_t HttpParser::room() const {
    switch (part_) {
        case Part::requestLine: return limits_.urlBytes + methodAndVersionBytes - line_.size();
        case Part::chunkSize: return chunkSizeBytes - line_.size();
        case Part::header:
        case Part::trailer: return limits_.headerBytes - headerBytes_;
        case Part::chunkEnd:
        case Part::body:
        case Part::chunkBytes: break;
    }
    return std::string_view::npos;
}

int HttpParser::statusOfLimit() const {
    if (part_ == Part::requestLine) return 414;
    return part_ == Part::chunkSize ? notHttp : 431;
}

void HttpParser::lineRead(std::string_view line) {
    switch (part_) {
        case Part::requestLine:
            // Empty ones before a request are skipped.
            if (line.empty()) return;
            part_ = Part::header;
            return refuse(head_.readRequestLine(line, limits_.urlBytes));
        case Part::header:
            if (line.empty()) return headRead();
            return refuse(head_.readHeader(line));
        case Part::chunkSize: return chunkSizeRead(line);
        case Part::chunkEnd: part_ = Part::chunkSize; return;
        case Part::trailer:
            if (line.empty()) return complete();
            return refuse(HttpHead().readHeader(line));
        case Part::body:
        case Part::chunkBytes: break;
    }
}

void HttpParser::headRead() {
    refuse(head_.finish());
    if (error_ != 0) return;
    awaitsContinue_ = head_.awaitsContinue();
    if (head_.isChunked()) {
        part_ = Part::chunkSize;
    } else if (head_.bodyBytes() > 0) {
        expectBytes(head_.bodyBytes(), Part::body);
    } else {
        complete();
    }
}

void HttpParser::chunkSizeRead(std::string_view line) {
    const std::size_t extension = line.find(';');
    std::string_view digits = line.substr(0, extension);
    if (extension != line.npos) digits = digits.substr(0, digits.find_last_not_of(" \t") + 1);
    std::uint64_t size = 0;
    refuse(readHttpSize(digits, 16, size));
    if (error_ != 0) return;
    if (size == 0) {
        part_ = Part::trailer;
    } else {
        expectBytes(size, Part::chunkBytes);
    }
}

void HttpParser::expectBytes(std::uint64_t bytes, Part part) {
    if (bytes > limits_.bodyBytes - head_.request().body.size()) return refuse(413);
    expected_ = bytes;
    part_ = part;
}

std::size_t HttpParser::readBody(std::string_view bytes) {
    const std::string_view part = bytes.substr(0, expected_);
    head_.request().body += part;
    expected_ -= part.size();
    if (expected_ > 0) return part.size();
    if (part_ == Part::chunkBytes) {
        part_ = Part::chunkEnd;
    } else {
        complete();
    }
    return part.size();
}

void HttpParser::complete() {
    part_ = Part::requestLine;
    headerBytes_ = 0;
    inside_ = false;
    complete_ = true;
    awaitsContinue_ = false;
}

}  // namespace apps
