#include "echo_client/payload/Pattern.h"

#include <random>

namespace load {

namespace {

constexpr std::size_t prime = 65'521;
constexpr std::size_t otherPrime = 65'519;

nio::Byte randomByte(Pattern::Alphabet alphabet, std::mt19937& random) {
    if (alphabet == Pattern::Alphabet::anyByte) return static_cast<nio::Byte>(random() & 0xff);
    return static_cast<nio::Byte>('!' + random() % ('~' - '!' + 1));
}

}  // namespace

Pattern::Pattern(Alphabet alphabet, std::size_t longestView)
    : period_(longestView % prime == 0 ? otherPrime : prime), bytes_(period_ + longestView) {
    std::mt19937 random(7007);
    for (std::size_t i = 0; i < period_; ++i) bytes_[i] = randomByte(alphabet, random);
    for (std::size_t i = period_; i < bytes_.size(); ++i) bytes_[i] = bytes_[i - period_];
}

// Neighbours begin far from each other.
std::size_t Pattern::startOf(std::size_t connection) const {
    constexpr std::size_t stride = 24'611;
    return connection % period_ * stride % period_;
}

}  // namespace load
