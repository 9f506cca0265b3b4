// Outbound, the lower stage takes numbers; the upper one gives it texts.
#include <string>

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

struct Lower {
    using In = nio::Packet;
    using Out = std::string;
    using OutboundIn = int;
    void read(auto& context, nio::ByteView bytes) { context.read(std::string(nio::asText(bytes))); }
    void write(auto& context, int number) { context.write(std::to_string(number)); }
};
struct Upper {
    using In = std::string;
};

void serve() {
    const auto ignore = [](auto&, const std::string&) {};
    (void)nio::pipeline(nio::lines(), Lower(), Upper(), ignore);  // must not compile: must be what
    (void)nio::pipeline(nio::lines(), Lower(), ignore);
}
