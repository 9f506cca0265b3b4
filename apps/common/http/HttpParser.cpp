#include "common/http/HttpParser.h"

#include <algorithm>
#include <utility>

namespace apps {

namespace {

constexpr int notHttp = 400;
// Of a request line, beside its URL.
constexpr std::size_t methodAndVersionBytes = 64;
// Chunk extensions are read and ignored.
constexpr std::size_t chunkSizeBytes = 256;

bool isText(char byte) {
    return byte == '\t' || (static_cast<unsigned char>(byte) >= ' ' && byte != '\x7f');
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
        if (!takeByte(bytes[done++])) continue;
        const std::string line = std::exchange(line_, {});
        lineRead(line);
        break;
    }
    return done;
}

bool HttpParser::takeByte(char byte) {
    if (byte == '\n') return endLine();
    const bool isBare = line_.ends_with('\r');
    const bool isExpected = part_ != Part::chunkEnd || byte == '\r';
    if (isBare || !isExpected || (byte != '\r' && !isText(byte))) {
        refuse(notHttp);
    } else if (!isTooLong()) {
        line_ += byte;
        inside_ = inside_ || byte != '\r';
    }
    return false;
}

bool HttpParser::endLine() {
    if (!line_.ends_with('\r')) {
        refuse(notHttp);
        return false;
    }
    line_.pop_back();
    return true;
}

bool HttpParser::isTooLong() {
    switch (part_) {
        case Part::requestLine:
            if (line_.size() >= limits_.urlBytes + methodAndVersionBytes) refuse(414);
            break;
        case Part::chunkSize:
            if (line_.size() >= chunkSizeBytes) refuse(notHttp);
            break;
        case Part::header:
        case Part::trailer:
            if (++headerBytes_ > limits_.headerBytes) refuse(431);
            break;
        case Part::chunkEnd:
        case Part::body:
        case Part::chunkBytes: break;
    }
    return error_ != 0;
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
