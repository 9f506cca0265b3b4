#include "sms_router/http/KannelNotice.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <smpp/text/MessageText.h>
#include <smpp/text/UserDataHeader.h>

#include "sms_router/http/FormFields.h"

namespace router {

namespace {

constexpr std::size_t longestFilled = 64 * 1024;  // that is filled in; the rest is left out

using smpp::Field;

std::vector<std::string> wordsOf(const std::string& text) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string> words;
    for (std::size_t i = 0; (i = text.find_first_not_of(blanks, i)) != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, i), text.size());
        words.push_back(text.substr(i, end - i));
        i = end;
    }
    return words;
}

std::string twoDigits(std::int64_t number) {
    return {static_cast<char>('0' + number / 10 % 10), static_cast<char>('0' + number % 10)};
}

// UTC, the blank already encoded.
std::string timeText(std::int64_t time) {
    using namespace std::chrono;
    const sys_seconds when{seconds(time)};
    const auto midnight = floor<days>(when);
    const year_month_day date(midnight);
    const hh_mm_ss clock(when - midnight);
    return std::to_string(static_cast<int>(date.year())) + "-" +
           twoDigits(static_cast<unsigned>(date.month())) + "-" +
           twoDigits(static_cast<unsigned>(date.day())) + "+" + twoDigits(clock.hours().count()) +
           ":" + twoDigits(clock.minutes().count()) + ":" + twoDigits(clock.seconds().count());
}

// What the escapes say, encoded for a URL.
class Escapes {
  public:
    explicit Escapes(const Notice& notice) : notice_(notice) {
        const auto header = nio::asText(notice.pdu.message().first(headerSize()));
        const auto octets = nio::asText(notice.pdu.message().subspan(headerSize()));
        const auto text = smpp::plainText(notice.pdu);
        isText_ = text.has_value();
        text_ = isText_ ? *text : std::string(octets);
        header_ = header;
        words_ = wordsOf(text_);
    }

    // Nothing: there is no such escape.
    std::optional<std::string> at(char name) {
        switch (name) {
            case '%': return "%";
            case 'p': return formEncoded(phone());
            case 'P': return formEncoded(other());
            case 'q': return international(phone());
            case 'Q': return international(other());
            case 'a': return joined(0);
            case 'r': return joined(next_);
            case 'k': return words_.empty() ? "" : formEncoded(words_.front());
            case 's': return formEncoded(nextWord());
            case 'S': return starsReplaced(nextWord());
            case 'A':
            case 'b': return formEncoded(text_);
            default: return aboutIt(name);
        }
    }

  private:
    std::optional<std::string> aboutIt(char name) const {
        const std::string id(notice_.receipt ? notice_.receipt->id() : "");
        switch (name) {
            case 'd':
                return notice_.receipt ? std::to_string(kannelKindOf(*notice_.receipt)) : "-1";
            case 'c': return isText_ ? "0" : "1";
            case 'C': return isText_ ? "UTF-8" : "8-BIT";
            case 'O': return twoDigitsAtLeast(notice_.pdu.number(Field::dataCoding));
            case 'u': return formEncoded(header_);
            case 't': return timeText(notice_.time);
            case 'T': return std::to_string(notice_.time);
            case 'n': return formEncoded(notice_.account);
            case 'i': return formEncoded(notice_.connector);
            case 'F': return formEncoded(id);
            case 'I': return id.empty() ? std::to_string(notice_.delivery) : formEncoded(id);
            // What the router does not keep, or cannot tell.
            case 'B':
            case 'D':
            case 'R':
            case 'f':
            case 'o':
            case 'v':
            case 'V': return "";
            case 'm':
            case 'M': return "-1";
            default: return std::nullopt;
        }
    }

    // The telephone's number is the source of both kinds.
    std::string_view phone() const { return notice_.pdu.text(Field::sourceAddress); }
    std::string_view other() const { return notice_.pdu.text(Field::destinationAddress); }
    std::size_t headerSize() const { return smpp::UserDataHeader(notice_.pdu).size(); }

    static std::string international(std::string_view number) {
        return number.starts_with("00") ? "%2B" + formEncoded(number.substr(2))
                                        : formEncoded(number);
    }
    static std::string twoDigitsAtLeast(std::uint32_t number) {
        return (number < 10 ? "0" : "") + std::to_string(number);
    }
    std::string joined(std::size_t first) const {
        std::string all;
        for (std::size_t i = first; i < words_.size(); ++i) {
            all += (i > first ? "+" : "") + formEncoded(words_[i]);
        }
        return all;
    }
    // The first is the keyword.
    std::string nextWord() { return next_ < words_.size() ? words_[next_++] : std::string(); }
    static std::string starsReplaced(std::string word) {
        std::replace(word.begin(), word.end(), '*', '~');
        return formEncoded(word);
    }

    const Notice& notice_;
    bool isText_ = false;
    std::string text_;
    std::string header_;
    std::vector<std::string> words_;
    std::size_t next_ = 1;
};

}  // namespace

unsigned kannelKindOf(const smpp::Receipt& receipt) {
    using smpp::MessageState;
    if (receipt.intermediate) return kannel::intermediate;
    switch (receipt.state.value_or(MessageState::unknown)) {
        case MessageState::delivered: return kannel::delivered;
        case MessageState::scheduled:
        case MessageState::enroute:
        case MessageState::accepted: return kannel::buffered;
        default: return kannel::failed;
    }
}

std::string kannelUrl(std::string_view url, const Notice& notice) {
    Escapes escapes(notice);
    std::string filled;
    for (std::size_t i = 0; i < url.size() && filled.size() < longestFilled; ++i) {
        const bool isEscape = url[i] == '%' && i + 1 < url.size();
        const auto value = isEscape ? escapes.at(url[i + 1]) : std::nullopt;
        if (value) ++i;
        filled += value ? *value : std::string(1, url[i]);
    }
    return filled.substr(0, longestFilled);
}

}  // namespace router
