// An application that sends by HTTP: by several connections at once, one text or several at a time,
// pipelined, in pieces, now and then wrongly; connections of it end in the middle. It checks that
// each request is answered once and in its turn, and as SMSCs have answered its messages.
//
// Thread: the one of the run.
#pragma once

#include <deque>
#include <list>
#include <nlohmann/json_fwd.hpp>

#include "simulation/router/HttpWire.h"
#include "simulation/router/Ledger.h"

namespace simulation {

class HttpPeer final : public Actor {
  public:
    HttpPeer(std::size_t account, Ledger& ledger);

    void step(bool eager) override;
    std::string toString() const override;
    bool isDone() const { return done_; }

  private:
    // What one telephone is to get.
    struct Text {
        std::string json;
        bool isWrong = false;
        std::vector<SentMessage*> parts{};
    };
    struct Post {
        std::vector<Text> texts;
        bool isOne = false;  // not as a list
        int refusal = 0;     // the status that the request gets, of its texts none; 0: they count
    };
    struct Line {
        std::shared_ptr<Connection> connection;
        HttpWire wire;
        std::deque<Post> open{};  // in their order
        bool isLast = false;      // no request follows
    };

    void step(Line& line, bool eager);
    Line* freeLine();
    Line* connect();
    void post(Line& line);
    Text makeText();
    void addPart(Text& text, const std::string& number, std::size_t part, std::size_t parts,
                 bool wantsReceipt, std::string& octets);
    std::string requestOf(Post& post, bool isLast);
    void answered(Line& line, const HttpText& answer);
    void checkPost(Post& post, int status, const nlohmann::json& body);
    void checkText(Text& text, const nlohmann::json& result, const nlohmann::json* problem);
    void checkIds(Text& text, const std::vector<std::string>& ids);
    void accepted(SentMessage& message, const std::string& id);
    void checkWhole(Text& text, const std::string& id, bool isAll);
    void checkId(const SentMessage& message, const std::string& id);
    void checkProblem(const Text& text, const nlohmann::json& problem);
    void lost(Line& line);
    void giveUp(Line& line);
    bool hasAll() const;
    bool hasReceipts(const SentMessage& message) const;
    bool mayLackAccount() const { return ledger_.mayLackAccount(account_, 0); }
    void fail(const std::string& what) { ledger_.fail(toString() + " " + what); }

    const std::size_t account_;
    Ledger& ledger_;
    Random random_;
    std::list<Line> lines_;
    std::size_t mostLines_;
    std::size_t left_;       // texts
    std::size_t wrongKeys_;  // that it may still use
    std::vector<SentMessage*> sent_;
    std::size_t texts_ = 0;
    std::size_t answers_ = 0;
    bool done_ = false;
};

}  // namespace simulation
