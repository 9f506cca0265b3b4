// What is kept during a pause would be a view of bytes that are gone.
#include <string>

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

template <class T>
struct Text {
    using In = nio::Packet;
    using Out = T;
    void read(auto& context, nio::ByteView bytes) { context.read(T(nio::asText(bytes))); }
    void write(auto& context, const T& text) { context.write(text); }
};

void serve() {
    const auto ignore = [](auto&, std::string_view) {};
    const Text<std::string_view> views;
    (void)nio::pipeline(nio::lines(), views, ignore);  // must not compile: a view would dangle
    (void)views;
    (void)nio::pipeline(nio::lines(), Text<std::string>(), ignore);
}
