// The part of ReceiptDesk that asks the other connectors of the SMSC.
//
// In the first round a receipt is taken by whoever has its message beyond doubt. If nobody has, and
// none is to come, but some have one that it may be about, whoever's fits best takes it in the last
// round.
#include <algorithm>
#include <utility>

#include "sms_router/delivery/ReceiptDesk.h"
#include "sms_router/model/Moment.h"
#include "sms_router/model/Post.h"

namespace router {

namespace {

// The next stop of a receipt.
class Visit {
  public:
    explicit Visit(StrayReceipt&& stray)
        : desk_(*stray.stops.back()), guest_(std::make_shared<StrayReceipt>(std::move(stray))) {
        guest_->stops.pop_back();
    }

    nio::SelectorThread& host() const { return desk_.dispatcher(); }
    void operator()() const {
        nio::onDispatcher.assertCurrent();
        desk_.strayedNow(std::move(*guest_));
    }

  private:
    ReceiptDesk& desk_;
    const std::shared_ptr<StrayReceipt> guest_;
};

}  // namespace

void ReceiptDesk::findOthers() {
    std::vector<ReceiptDesk*> others;
    const Topology& topology = home_.topology();
    const std::vector<ConnectorConfig>& all = topology.config->connectors;
    const std::string& smsc = all[connector_].smsc;
    for (std::size_t i = 0; i < all.size() && !smsc.empty(); ++i) {
        if (i != connector_ && all[i].smsc == smsc) others.push_back(topology.receiptDesks[i]);
    }
    others_ = std::move(others);
}

void ReceiptDesk::askOthers(const Asker& asker, const smpp::Pdu& pdu, nio::TimePoint until,
                            Fit best, bool isContested) {
    StrayReceipt stray;
    stray.link = asker.link;
    stray.pdu = nio::copyOf(pdu.bytes());
    stray.until = until;
    stray.stops.push_back(home_.topology().receiptDesks[connector_]);
    stray.stops.insert(stray.stops.end(), others_.rbegin(), others_.rend());
    stray.place = asker.place;
    stray.arrived = asker.arrived;
    stray.mayComeYet = mayComeYet(asker.arrived);
    stray.best = best;
    stray.isContested = isContested;
    stray.isLastRound = best > Fit::none;
    const Visit visit(std::move(stray));
    if (!visit.host().invokeLater(visit)) respond(asker, smpp::Status::msgQFul);
}

// Not refused any more: who waits for an answer would wait for ever.
void ReceiptDesk::passOn(StrayReceipt&& stray) {
    const Visit visit(std::move(stray));
    (void)postLater(visit.host(), visit);
}

void ReceiptDesk::strayedNow(StrayReceipt&& stray) {
    const smpp::Scanned scanned = smpp::scan(stray.pdu, smpp::Reading::tolerant);
    const smpp::Receipt receipt = *smpp::receiptOf(*scanned.pdu);
    const bool isHome = stray.stops.empty();
    const Asker asker{stray.link, scanned.pdu->command(), scanned.pdu->sequence(),
                      isHome ? stray.place : 0, stray.arrived};
    stray.mayComeYet = stray.mayComeYet || mayComeYet(stray.arrived);
    const bool comesYet = !stray.isLastRound && stray.mayComeYet && Moment::now() < stray.until;
    const Elsewhere elsewhere{comesYet, !isHome && !stray.isLastRound, stray.best, stray.whose,
                              stray.isContested};
    const Found found = find(asker, *scanned.pdu, receipt, stray.until, elsewhere);
    if (found.isTaken) return;
    stray.best = std::max(stray.best, found.fit);
    stray.isContested = stray.isContested || found.isContested;
    if (found.whose != nullptr) {
        const Account* other = std::exchange(stray.whose, found.whose);
        stray.isContested = stray.isContested || (other != nullptr && other != found.whose);
    }
    isHome ? cameBack(asker, *scanned.pdu, receipt, stray, comesYet) : passOn(std::move(stray));
}

void ReceiptDesk::cameBack(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                           const StrayReceipt& stray, bool comesYet) {
    if (comesYet) return hold(asker, pdu, receipt, stray.until);
    const bool goesAgain = stray.best > Fit::none && !stray.isLastRound && !others_.empty();
    if (goesAgain) return askOthers(asker, pdu, stray.until, stray.best, stray.isContested);
    unmatched(asker, pdu, receipt);
}

}  // namespace router
