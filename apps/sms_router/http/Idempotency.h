// Requests that are not to be carried out twice: of an Idempotency-Key the account gets the same
// answer again for a day, also after a restart.
//
//     no key                    carried out
//     a new key                 carried out; an answer that accepted anything is kept
//     a key whose answer is kept      that answer; 422 if the request was another one
//     an outstanding key              409
//
// Thread: any.
// Source: docs/http-api.md; draft-ietf-httpapi-idempotency-key-header.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/http/HttpRequest.h"
#include "common/http/HttpResponder.h"
#include "sms_router/store/Store.h"

namespace router {

// The outstanding keys of all accounts.
class IdempotencyKeys {
  public:
    using Key = std::pair<std::string, std::string>;  // system_id, key

    // Until it goes no other request has the key.
    // Lifetime: shorter than that of the keys.
    class Claim {
      public:
        Claim(IdempotencyKeys& keys, Key key) : keys_(&keys), key_(std::move(key)) {}
        Claim(Claim&& other) noexcept
            : keys_(std::exchange(other.keys_, nullptr)), key_(std::move(other.key_)) {}
        Claim& operator=(Claim&&) = delete;
        ~Claim() {
            if (keys_ != nullptr) keys_->release(key_);
        }
        const Key& key() const { return key_; }

      private:
        IdempotencyKeys* keys_;
        Key key_;
    };

    // Nothing: another request has it.
    std::optional<Claim> claim(Key key);

  private:
    void release(const Key& key);

    std::mutex mutex_;
    std::set<Key> underWay_;
};

// Of a request with a key.
struct Once {
    IdempotencyKeys::Claim claim;
    std::string request;  // its digest

    AnswerRecord answer(const apps::HttpResponse& response) const;
};

// Answers a request by the key that it has, or has it carried out: `carryOut` runs now or in a
// later turn, when the configuration may be another one, and not at all where the answer is known.
// `thread` is the caller's.
using CarryOut =
    nio::UniqueFunction<void(const apps::HttpRequest& request, const std::string& account,
                             apps::HttpResponder to, std::optional<Once> once)>;
void carryOutOnce(const apps::HttpRequest& request, const std::string& account,
                  IdempotencyKeys& keys, Store& store, nio::SelectorThread& thread,
                  apps::HttpResponder to, CarryOut carryOut) NIO_REQUIRES(nio::onDispatcher);

}  // namespace router
