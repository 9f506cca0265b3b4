// libuv: a loop for each thread, one read buffer for all its connections, an immediate write first
// and a queued one for what the kernel did not take.
#include <uv.h>

#include <string>

#include "PeerProgram.h"

namespace {

constexpr int backlog = 4096;
thread_local char buffer[peers::bufferBytes];

struct LateWrite {
    uv_write_t request{};
    std::string bytes;
};

void onRead(uv_stream_t* stream, ssize_t got, const uv_buf_t* read);

void onBufferAsked(uv_handle_t*, size_t, uv_buf_t* given) {
    *given = uv_buf_init(buffer, sizeof buffer);
}

void close(uv_stream_t* stream) {
    auto* handle = reinterpret_cast<uv_handle_t*>(stream);
    if (uv_is_closing(handle) != 0) return;
    uv_close(handle, [](uv_handle_t* closed) { delete reinterpret_cast<uv_tcp_t*>(closed); });
}

void writeLater(uv_stream_t* stream, const char* bytes, std::size_t size) {
    auto* late = new LateWrite;
    late->bytes.assign(bytes, size);
    late->request.data = late;
    const uv_buf_t rest = uv_buf_init(late->bytes.data(), static_cast<unsigned>(size));
    uv_read_stop(stream);
    uv_write(&late->request, stream, &rest, 1, [](uv_write_t* request, int error) {
        uv_stream_t* written = request->handle;
        delete static_cast<LateWrite*>(request->data);
        error < 0 ? close(written)
                  : static_cast<void>(uv_read_start(written, onBufferAsked, onRead));
    });
}

void onRead(uv_stream_t* stream, ssize_t got, const uv_buf_t* read) {
    if (got < 0) return close(stream);
    if (got == 0) return;
    const uv_buf_t answer = uv_buf_init(read->base, static_cast<unsigned>(got));
    int sent = uv_try_write(stream, &answer, 1);
    if (sent == got) return;
    if (sent < 0 && sent != UV_EAGAIN) return close(stream);
    if (sent < 0) sent = 0;
    writeLater(stream, read->base + sent, static_cast<std::size_t>(got - sent));
}

void onConnect(uv_stream_t* listener, int error) {
    if (error < 0) return;
    auto* tcp = new uv_tcp_t;
    uv_tcp_init(listener->loop, tcp);
    auto* stream = reinterpret_cast<uv_stream_t*>(tcp);
    if (uv_accept(listener, stream) != 0) return close(stream);
    uv_tcp_nodelay(tcp, 1);
    uv_read_start(stream, onBufferAsked, onRead);
}

void serve(int listener) {
    uv_loop_t loop;
    uv_tcp_t connects;
    uv_loop_init(&loop);
    uv_tcp_init(&loop, &connects);
    uv_tcp_open(&connects, listener);
    if (uv_listen(reinterpret_cast<uv_stream_t*>(&connects), backlog, onConnect) != 0) {
        peers::fail("uv_listen");
    }
    uv_run(&loop, UV_RUN_DEFAULT);
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, serve);
}
