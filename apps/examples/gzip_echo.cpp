// Sends back each line; both ways the stream is compressed as gzip does: gzip_echo [ADDRESS]
#include <array>
#include <iostream>
#include <memory>

#include <zlib.h>

#include <nio/nio.h>

// The stage. A connection has two of zlib's streams; a copy of the stage begins with none.
class Gzip {
  public:
    using In = nio::ByteStream;
    using Out = nio::ByteStream;

    Gzip() = default;
    Gzip(const Gzip&) {}

    // Little at a time: what a pause keeps back is then little, even if the peer sends nothing but
    // zeros.
    std::size_t read(auto& context, nio::ByteView bytes) {
        if (inflate_ == nullptr) inflate_ = begin(inflateInit2(&in_, gzip), in_, &inflateEnd);
        const std::size_t taken = std::min<std::size_t>(bytes.size(), 256);
        const int result = run(inflate, in_, bytes.first(taken), Z_SYNC_FLUSH,
                               [&](nio::ByteView plain) { context.read(plain); });
        if (result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END) {
            context.fail(nio::Error(nio::Errc::malformedPacket, "gzip"));
        }
        // What follows is another member of the same stream.
        if (result == Z_STREAM_END) inflateReset(&in_);
        return taken - in_.avail_in;
    }
    void write(auto& context, nio::ByteView plain) {
        if (deflate_ == nullptr) {
            deflate_ =
                begin(deflateInit2(&out_, Z_BEST_SPEED, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY),
                      out_, &deflateEnd);
        }
        run(deflate, out_, plain, Z_SYNC_FLUSH, [&](nio::ByteView bytes) { context.write(bytes); });
    }

  private:
    static constexpr int gzip = 15 + 16;  // zlib's largest window, with gzip's header
    using End = int (*)(z_stream*);
    using Stream = std::unique_ptr<z_stream, End>;

    static Stream begin(int result, z_stream& stream, End end) {
        if (result != Z_OK) throw std::bad_alloc();
        return Stream(&stream, end);
    }
    static int run(int (*step)(z_stream*, int), z_stream& stream, nio::ByteView input, int flush,
                   auto&& give) {
        std::array<nio::Byte, 4096> output;
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<nio::Byte*>(input.data()));
        stream.avail_in = static_cast<uInt>(input.size());
        int result = Z_OK;
        do {
            stream.next_out = reinterpret_cast<Bytef*>(output.data());
            stream.avail_out = output.size();
            result = step(&stream, flush);
            if (stream.avail_out < output.size()) {
                give(nio::ByteView(output).first(output.size() - stream.avail_out));
            }
        } while (stream.avail_out == 0 && result == Z_OK);
        return result;
    }

    z_stream in_{}, out_{};
    Stream inflate_{nullptr, nullptr}, deflate_{nullptr, nullptr};
};

int main(int count, char** words) try {
    nio::Server server(count > 1 ? words[1] : "127.0.0.1:7011", Gzip(), nio::lines(),
                       [](auto& peer, std::string_view line) { peer.send(line); });
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "gzip_echo: " << error.what() << '\n', 1;
}
