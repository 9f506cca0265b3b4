// What ESMEs were told and given, over all lives of the router; what is wrong with it fails the
// test.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace router::scenarios {

class Ledger {
  public:
    // Of a message; never the same again, also in a later connection.
    std::string newName(const std::string& account) {
        return account + "-" + std::to_string(++names_);
    }
    // The submit of `account` named so was answered ESME_ROK, with this id.
    void told(const std::string& account, const std::string& name, const std::string& id) {
        EXPECT_TRUE(ids_.insert(id).second) << id << " was given to two messages";
        promised_[name] = {account, id};
    }
    // The account has acknowledged the receipt of that message, which came with this id.
    void receipt(const std::string& account, const std::string& name, const std::string& id) {
        EXPECT_TRUE(name.starts_with(account + "-")) << account << " got the receipt of " << name;
        const auto promise = promised_.find(name);
        if (promise != promised_.end()) {
            EXPECT_EQ(id, promise->second.id) << "the receipt of " << name;
        }
        receipts_[name].insert(id);
    }
    // It has acknowledged a message of a subscriber.
    void message(const std::string& name) { messages_.insert(name); }

    std::size_t promises() const { return promised_.size(); }
    std::size_t receipts() const { return receipts_.size(); }
    bool hasMessage(const std::string& name) const { return messages_.contains(name); }
    // Of messages that were answered ESME_ROK: those whose receipts have not come with their ids.
    std::vector<std::string> missing() const {
        std::vector<std::string> names;
        for (const auto& [name, promise] : promised_) {
            const auto found = receipts_.find(name);
            const bool came = found != receipts_.end() && found->second.contains(promise.id);
            if (!came) names.push_back(name + " (" + promise.id + ")");
        }
        return names;
    }

  private:
    struct Promise {
        std::string account;
        std::string id;
    };

    std::uint64_t names_ = 0;
    std::set<std::string> ids_;
    std::map<std::string, Promise> promised_;
    std::map<std::string, std::set<std::string>> receipts_;
    std::set<std::string> messages_;
};

}  // namespace router::scenarios
