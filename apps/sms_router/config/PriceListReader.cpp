#include "sms_router/config/SectionReaders.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "common/ReadFile.h"
#include "sms_router/config/ConfigLimits.h"

namespace router {

namespace {

constexpr std::size_t mostBytes = 16 * 1024 * 1024;
constexpr std::size_t mostMistakes = 20;                    // that are told
constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";  // of spreadsheet programs

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// The text up to the separator, which is taken away with it.
std::string_view takeUpTo(char separator, std::string_view& text) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trimmed(part);
}

bool isHead(std::string_view row) {
    std::string words;
    for (const char c : row)
        if (c != ' ' && c != '\t') words += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return words == "prefix,connector,price";
}

bool isPrefix(std::string_view text) {
    return text.size() <= limits::address &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<double> priceOf(std::string_view text) {
    double price = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    if (!isWhole || !(price >= 0) || price > limits::cost) return std::nullopt;
    return price;
}

class Reader {
  public:
    Reader(RouterConfig& config, Findings& findings) : config_(config), findings_(findings) {}

    void read(std::string_view text) {
        if (text.starts_with(byteOrderMark)) text.remove_prefix(byteOrderMark.size());
        bool isFirst = true;
        for (int line = 1; !text.empty(); ++line) {
            const std::string_view row = takeUpTo('\n', text);
            if (row.empty() || row.front() == '#') continue;
            if (std::exchange(isFirst, false) && isHead(row)) continue;
            const std::string wrong = add(row);
            if (!wrong.empty()) mistake(":" + std::to_string(line) + ": " + wrong);
        }
        if (prices_.empty() && mistakes_ == 0) {
            findings_.warning(0,
                              "router.price_list: " + config_.router.priceList + " has no prices");
        }
        for (auto& [connector, prices] : prices_) {
            config_.connectors[connector].prices = std::move(prices);
        }
    }
    void mistake(const std::string& what) {
        if (mistakes_++ >= mostMistakes) return;
        findings_.mistake(0, "router.price_list: " + config_.router.priceList + what);
    }

  private:
    std::string add(std::string_view row) {
        const std::string whole(row);
        std::string_view prefix = takeUpTo(',', row);
        const std::string_view name = takeUpTo(',', row);
        const std::string_view last = trimmed(row);
        if (std::count(whole.begin(), whole.end(), ',') != 2) {
            return "'" + whole + "' is not prefix,connector,price";
        }
        const std::optional<double> price = priceOf(last);
        if (prefix.starts_with('+')) prefix.remove_prefix(1);
        const NumberingPlan& plan = config_.numbers;
        if (prefix.starts_with('0') && prefix.starts_with(plan.internationalPrefix)) {
            prefix.remove_prefix(plan.internationalPrefix.size());
        }
        // All numbers are looked up in their international form then.
        const bool isNational = prefix.starts_with('0') && !plan.countryCode.empty();
        if (!isPrefix(prefix) || isNational) return "'" + std::string(prefix) + "' is not a prefix";
        const auto connector = config_.connectorByName.find(name);
        if (connector == config_.connectorByName.end()) {
            return "'" + std::string(name) + "' is not a connector";
        }
        if (!price) return "'" + std::string(last) + "' is not a price";
        std::shared_ptr<PriceList>& prices = prices_[connector->second];
        if (prices == nullptr) prices = std::make_shared<PriceList>();
        if (prices->add(prefix, *price)) return {};
        return "prefix '" + std::string(prefix) + "' has a price for '" + std::string(name) +
               "' already";
    }

    RouterConfig& config_;
    Findings& findings_;
    std::map<std::size_t, std::shared_ptr<PriceList>> prices_;
    std::size_t mistakes_ = 0;
};

}  // namespace

void readPriceList(RouterConfig& config, Findings& findings) {
    if (config.router.priceList.empty()) return;
    Reader reader(config, findings);
    const auto text = apps::readFile(config.router.priceList, mostBytes);
    if (!text) return reader.mistake(": " + text.error().code().message());
    reader.read(text.value());
}

}  // namespace router
