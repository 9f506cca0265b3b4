#include "echo_client/misbehave/Script.h"

#include <algorithm>

#include "echo_client/plan/Random.h"

namespace load {

namespace {

constexpr std::size_t enoughBytes = 64 * 1024;
constexpr std::size_t enoughMessages = 4;
constexpr std::size_t muchMemory = 4 * 1024 * 1024;

class Collector final : public nio::ByteSink {
  public:
    explicit Collector(nio::Bytes& bytes) : bytes_(bytes) {}
    void append(nio::ByteView bytes) override {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }

  private:
    nio::Bytes& bytes_;
};

nio::Bytes letters(std::size_t count, Random& random) {
    nio::Bytes bytes(count);
    for (nio::Byte& byte : bytes) byte = static_cast<nio::Byte>('a' + random.below(26));
    return bytes;
}

void appendMessage(nio::Bytes& bytes, apps::Framing framing, std::size_t size, Random& random) {
    Collector collector(bytes);
    apps::makeDecoder(framing)->encode(letters(size, random), collector).orThrow();
}

}  // namespace

Script Script::messages(const LoadOptions& options) {
    Random random(options.seed, 0);
    Script script;
    script.repeats_ = true;
    const auto isEnough = [&script] {
        const std::size_t bytes = script.bytes_.size();
        return bytes >= muchMemory ||
               (bytes >= enoughBytes && script.ends_.size() >= enoughMessages);
    };
    while (!isEnough()) {
        appendMessage(script.bytes_, options.framing, options.size.draw(random), random);
        script.ends_.push_back(script.bytes_.size());
    }
    return script;
}

Script Script::halfMessage(const LoadOptions& options) {
    Random random(options.seed, 0);
    Script script;
    appendMessage(script.bytes_, options.framing, options.size.draw(random), random);
    script.bytes_.resize(script.bytes_.size() / 2);
    return script;
}

Script Script::endlessMessage(const LoadOptions& options) {
    Random random(options.seed, 0);
    Script script;
    script.repeats_ = options.framing == apps::Framing::raw;
    const std::size_t size = script.repeats_ ? enoughBytes : largestMessage(options.framing);
    appendMessage(script.bytes_, options.framing, size, random);
    if (!script.repeats_) script.bytes_.pop_back();
    return script;
}

nio::ByteView Script::at(std::uint64_t position, std::size_t most) const {
    if (bytes_.empty() || (!repeats_ && position >= bytes_.size())) return {};
    const auto begin = static_cast<std::size_t>(position % bytes_.size());
    return nio::ByteView(bytes_).subspan(begin, std::min(most, bytes_.size() - begin));
}

std::size_t Script::beginOf(std::size_t message) const {
    const std::size_t index = message % ends_.size();
    return index == 0 ? 0 : ends_[index - 1];
}

std::size_t Script::sizeOf(std::size_t message) const {
    return ends_[message % ends_.size()] - beginOf(message);
}

}  // namespace load
