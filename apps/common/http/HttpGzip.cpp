#include "common/http/HttpGzip.h"

#include <isa-l/igzip_lib.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace apps {

namespace {

constexpr std::size_t packetBytes = 1400;

// Nothing: it would not be shorter.
std::optional<std::string> gzipped(const std::string& text) {
    const auto stream = std::make_unique<isal_zstream>();
    isal_deflate_stateless_init(stream.get());
    std::string coded(text.size(), '\0');
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    // It is read only.
    stream->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    stream->avail_in = static_cast<std::uint32_t>(text.size());
    stream->next_out = reinterpret_cast<std::uint8_t*>(coded.data());
    stream->avail_out = static_cast<std::uint32_t>(coded.size());
    if (isal_deflate_stateless(stream.get()) != COMP_OK) return std::nullopt;
    coded.resize(stream->total_out);
    return coded;
}

}  // namespace

bool acceptsGzip(const HttpRequest& request) {
    static const re2::RE2 accepted(
        R"((?i)(?:^|,)[ \t]*gzip[ \t]*(?:;[ \t]*q=(?:1|0\.\d*[1-9])[\d.]*[ \t]*)?(?:,|$))");
    return std::any_of(request.headers.begin(), request.headers.end(), [](const auto& field) {
        return field.first == "accept-encoding" && re2::RE2::PartialMatch(field.second, accepted);
    });
}

void compress(HttpResponse& response, bool isAccepted) {
    if (response.body.size() <= packetBytes) return;
    response.headers.emplace_back("Vary", "Accept-Encoding");
    if (!isAccepted) return;
    auto coded = gzipped(response.body);
    if (!coded) return;
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::move(*coded);
}

}  // namespace apps
