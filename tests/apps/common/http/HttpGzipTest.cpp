#include "common/http/HttpGzip.h"

#include <gtest/gtest.h>

namespace {

using apps::HttpResponse;

bool takesGzip(const std::vector<std::string>& lines) {
    apps::HttpRequest request;
    for (const std::string& line : lines) request.headers.emplace_back("accept-encoding", line);
    return apps::acceptsGzip(request);
}

std::string compressedHeader(const HttpResponse& response, const std::string& name) {
    for (const auto& [each, value] : response.headers) {
        if (each == name) return value;
    }
    return {};
}

TEST(HttpGzip, IsForThoseThatAcceptIt) {
    for (const char* const accepted : {"gzip", "GZip", "br, gzip", "deflate,gzip;q=1.0, *;q=0.5",
                                       "gzip;q=0.001", "gzip ; q=0.5", "identity;q=0, gzip;q=1"}) {
        EXPECT_TRUE(takesGzip({accepted})) << accepted;
    }
    for (const char* const refused : {"", "br", "gzip;q=0", "gzip;q=0.000", "gzip; q=0.0, br",
                                      "gzipped", "x.gzip", "*;q=0", "identity"}) {
        EXPECT_FALSE(takesGzip({refused})) << refused;
    }
    EXPECT_FALSE(takesGzip({}));
    EXPECT_TRUE(takesGzip({"br", "gzip"}));
}

TEST(HttpGzip, IsForBodiesThatBecomeShorter) {
    HttpResponse small = HttpResponse::text(200, std::string(1400, 'a'));
    compress(small, true);
    EXPECT_EQ(small.body.size(), 1400U);
    EXPECT_EQ(compressedHeader(small, "Vary"), "");
    HttpResponse large = HttpResponse::text(200, std::string(1401, 'a'));
    HttpResponse unwanted = large;
    compress(large, true);
    EXPECT_LT(large.body.size(), 200U);
    EXPECT_EQ(compressedHeader(large, "Content-Encoding"), "gzip");
    EXPECT_EQ(compressedHeader(large, "Vary"), "Accept-Encoding");
    compress(unwanted, false);
    EXPECT_EQ(unwanted.body.size(), 1401U);
    EXPECT_EQ(compressedHeader(unwanted, "Content-Encoding"), "");
    EXPECT_EQ(compressedHeader(unwanted, "Vary"), "Accept-Encoding");
    // Octets without order, of a generator with a fixed seed.
    HttpResponse noise;
    std::uint32_t state = 1;
    for (int i = 0; i < 2000; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        noise.body += static_cast<char>(state >> 24);
    }
    compress(noise, true);
    EXPECT_EQ(noise.body.size(), 2000U);
    EXPECT_EQ(compressedHeader(noise, "Content-Encoding"), "");
}

}  // namespace
