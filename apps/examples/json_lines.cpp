// Adds the numbers of each line: json_lines [ADDRESS]
//
//     {"id": 1, "numbers": [1, 2, 3]}   is answered by   {"id":1,"sum":6}
#include <iostream>
#include <numeric>
#include <vector>

#include <nio/nio.h>
#include <nlohmann/json.hpp>

struct Request {
    int id;
    std::vector<double> numbers;
};
struct Reply {
    int id;
    double sum;
};

// The stage: packets to requests, and replies to packets.
struct Json {
    using In = nio::Packet;
    using Out = Request;
    using OutboundIn = Reply;

    void read(auto& context, nio::ByteView packet) {
        const auto json = nlohmann::json::parse(nio::asText(packet), nullptr, false);
        Request request;
        try {
            json.at("id").get_to(request.id);
            json.at("numbers").get_to(request.numbers);
        } catch (const nlohmann::json::exception& error) {
            return context.fail(nio::Error(nio::Errc::malformedPacket, error.what()));
        }
        context.read(std::move(request));
    }
    void write(auto& context, const Reply& reply) {
        context.write(nlohmann::json{{"id", reply.id}, {"sum", reply.sum}}.dump());
    }
};

int main(int count, char** words) try {
    nio::Server server(
        count > 1 ? words[1] : "127.0.0.1:7010", nio::lines(), Json(),
        [](auto& peer, const Request& request) {
            const auto& all = request.numbers;
            peer.send(Reply{request.id, std::accumulate(all.begin(), all.end(), 0.0)});
        });
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "json_lines: " << error.what() << '\n', 1;
}
