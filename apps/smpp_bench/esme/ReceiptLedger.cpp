#include "smpp_bench/esme/ReceiptLedger.h"

#include <functional>

namespace smppbench {

ReceiptLedger::Entry& ReceiptLedger::entryOf(std::string_view messageId) {
    return entries_[std::hash<std::string_view>()(messageId)];
}

void ReceiptLedger::answered(std::string_view messageId, std::size_t account) {
    Entry& entry = entryOf(messageId);
    if (entry.sender != nobody) {
        ++totals_.repeatedIds;
        return;
    }
    ++totals_.answered;
    entry.sender = static_cast<std::uint16_t>(account);
    if (entry.receiver == nobody) return;
    --totals_.unknown;
    settle(entry);
}

void ReceiptLedger::receipt(std::string_view messageId, std::size_t account) {
    ++totals_.receipts;
    Entry& entry = entryOf(messageId);
    if (entry.receiver != nobody) {
        ++totals_.duplicated;
        return;
    }
    entry.receiver = static_cast<std::uint16_t>(account);
    if (entry.sender == nobody) {
        ++totals_.unknown;
        return;
    }
    settle(entry);
}

void ReceiptLedger::settle(const Entry& entry) {
    ++totals_.complete;
    if (entry.sender != entry.receiver) ++totals_.misrouted;
}

}  // namespace smppbench
