#include "sms_router/http/Idempotency.h"

#include <algorithm>

#include "common/Digest.h"
#include "sms_router/http/Problem.h"

namespace router {

namespace {

constexpr std::string_view headerName = "idempotency-key";
constexpr std::size_t longestKey = 255;

apps::HttpResponse responseOf(AnswerRecord answer) {
    apps::HttpResponse response = apps::HttpResponse::json(answer.status, std::move(answer.body));
    response.headers.emplace_back("Idempotent-Replayed", "true");
    return response;
}

}  // namespace

std::optional<IdempotencyKeys::Claim> IdempotencyKeys::claim(Key key) {
    const std::lock_guard lock(mutex_);
    if (!underWay_.insert(key).second) return std::nullopt;
    return std::optional<Claim>(std::in_place, *this, std::move(key));
}

void IdempotencyKeys::release(const Key& key) {
    const std::lock_guard lock(mutex_);
    underWay_.erase(key);
}

AnswerRecord Once::answer(const apps::HttpResponse& response) const {
    return {claim.key().first, claim.key().second, wallSeconds(),
            request,           response.status,    response.body};
}

void carryOutOnce(const apps::HttpRequest& request, const std::string& account,
                  IdempotencyKeys& keys, Store& store, nio::SelectorThread& thread,
                  apps::HttpResponder to, CarryOut carryOut) {
    if (!request.hasHeader(headerName)) {
        return carryOut(request, account, std::move(to), std::nullopt);
    }
    const auto refuse = [&](int status, const char* detail) {
        to.answer(responseOf(Problem{status, detail}));
    };
    const std::string key(request.header(headerName));
    if (key.empty() || key.size() > longestKey) {
        return refuse(400, "Idempotency-Key: must have from 1 to 255 octets");
    }
    if (!store.isDurable()) {
        return refuse(422, "Idempotency-Key: the router has no store that would remember it");
    }
    auto claim = keys.claim({account, key});
    if (!claim) return refuse(409, "a request with this Idempotency-Key is outstanding");
    Once once{std::move(*claim), apps::digestOf(request.body)};
    auto found = [request, account, to = std::move(to), once = std::move(once),
                  carryOut = std::move(carryOut)](bool isRead,
                                                  std::optional<AnswerRecord> answer) mutable {
        if (!isRead) return to.answer(responseOf(Problem{503, "the store does not answer"}));
        if (!answer) return carryOut(request, account, std::move(to), std::move(once));
        const bool isSame = answer->request == once.request;
        to.answer(isSame
                      ? responseOf(std::move(*answer))
                      : responseOf(Problem{422, "another request has had this Idempotency-Key"}));
    };
    store.findAnswer(account, key, thread, std::move(found));
}

}  // namespace router
