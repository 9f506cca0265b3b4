// Counts by command_status.
//
// Thread: any; values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>

#include <smpp/pdu/Status.h>

namespace router {

// Counts by status. of() counts further ones than `limit` statuses together, so that a peer cannot
// make ever more, and what it has no memory for. A sum has all that are counted in
// its parts: it never counts less than an earlier one of the same parts.
template <class Counts, std::size_t limit>
class ByStatus {
  public:
    static constexpr std::size_t most = limit;

    Counts& of(smpp::Status status) noexcept try {
        const auto found = counts_.find(status);
        if (found != counts_.end()) return found->second;
        return counts_.size() < most ? counts_[status] : others_;
    } catch (const std::bad_alloc&) {
        return others_;
    }
    ByStatus& operator+=(const ByStatus& other) {
        for (const auto& [status, counts] : other.counts_) counts_[status] += counts;
        others_ += other.others_;
        return *this;
    }
    const std::map<smpp::Status, Counts>& counts() const { return counts_; }
    const Counts& others() const { return others_; }

  private:
    std::map<smpp::Status, Counts> counts_;
    Counts others_{};
};
using StatusCounts = ByStatus<std::uint64_t, 32>;

}  // namespace router
