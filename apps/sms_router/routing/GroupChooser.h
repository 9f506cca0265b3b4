// Which connector of a group: of the first tier that has a live one, by the group's balance. One
// that has too much waiting (GroupConfig::overflows()) is used where there is no other.
//
// A choice changes nothing until moveOn(): who only asks what would come next disturbs nobody.
//
// Thread: one at a time.
// Lifetime: the configuration and the board must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/routing/ConnectorBoard.h"

namespace router {

struct GroupChoice {
    std::size_t tier = 0;
    std::size_t member = 0;     // of the tier
    std::size_t connector = 0;  // its index in the configuration
};

class GroupChooser {
  public:
    GroupChooser(const RouterConfig& config, const ConnectorBoard& board);

    // The cost is the price of the destination (AddressForms::number()), see
    // ConnectorConfig::priceOf().
    //
    // Round robin: the next one. Weighted: smoothly, each as often as its weight says. Cheapest:
    // the lowest cost, then the fewest outstanding. What is equal takes turns.
    std::optional<GroupChoice> next(std::size_t group, std::string_view destination = {}) const;
    // The same, but only of those that have not too much waiting.
    std::optional<GroupChoice> nextWithRoom(std::size_t group,
                                            std::string_view destination = {}) const;
    void moveOn(std::size_t group, const GroupChoice& taken);

    // Rendezvous hashing: the same message goes the same way on every dispatcher, and only the
    // messages of a connector that goes away move. Weights count where the group is weighted, costs
    // where it is cheapest; what is outstanding does not, since dispatchers may see it differently.
    std::optional<GroupChoice> forMessage(std::size_t group, std::uint64_t message,
                                          std::string_view destination = {}) const;

    // Where no member is live: the first one whose binds are awaited.
    std::optional<std::size_t> awaitedOf(std::size_t group) const;

    bool isLive(std::size_t connector) const;
    // Asked after isLive() has said no; true where it has become live since.
    bool takesMessages(std::size_t connector) const;
    bool isMember(std::size_t group, std::size_t connector) const;
    // See Rerouting.
    std::uint64_t keyOf(std::size_t group) const { return groupKeys_[group]; }
    std::optional<std::size_t> groupOf(std::uint64_t key) const;

  private:
    enum class Room : std::uint8_t { needed, any };
    struct TierState {
        std::size_t start = 0;              // who is looked at first
        std::vector<std::int64_t> credits;  // of each member, by which weights are kept
    };
    // Of one tier.
    struct Choosing {
        std::size_t group = 0;
        std::size_t tier = 0;
        Room room = Room::any;
        std::string_view destination{};
    };
    // Which of two members; both are live.
    bool isBetter(const Choosing& choosing, std::size_t one, std::size_t other) const;
    std::optional<GroupChoice> nextIn(const Choosing& choosing) const;
    std::optional<GroupChoice> forMessageIn(const Choosing& choosing, std::uint64_t message) const;
    // First with room, then without, tier by tier.
    template <class In>
    std::optional<GroupChoice> firstOf(std::size_t group, std::string_view destination,
                                       In&& in) const;
    bool isUsable(std::size_t group, std::size_t connector, Room room) const;
    bool hasRoom(const GroupConfig& group, std::size_t connector) const;
    void payCredits(std::size_t group, const GroupChoice& taken);
    std::int64_t weightOf(std::size_t connector) const;
    double costOf(std::size_t connector, std::string_view destination) const {
        return config_->connectors[connector].priceOf(destination).price;
    }
    std::size_t outstandingOf(std::size_t connector) const;

    const RouterConfig* config_;
    const ConnectorBoard* board_;
    std::vector<std::vector<TierState>> states_;  // by group and tier
    std::vector<std::uint64_t> nameHashes_;       // by connector
    std::vector<std::uint64_t> groupKeys_;        // by group
};

}  // namespace router
