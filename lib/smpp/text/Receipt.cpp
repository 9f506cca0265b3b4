#include <smpp/text/Receipt.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <smpp/text/UserDataHeader.h>

namespace smpp {

namespace {

constexpr std::uint8_t typeBits = 0x3C;
constexpr std::uint8_t deliveryReceipt = 0x04;
constexpr std::uint8_t intermediateNotification = 0x20;
constexpr std::uint8_t ucs2Coding = 8;

constexpr std::array<std::string_view, 10> stateNames{"SCHEDLD", "ENROUTE", "DELIVRD", "EXPIRED",
                                                      "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN",
                                                      "REJECTD", "SKIPPED"};
constexpr std::array<std::string_view, 8> keywords{"ID:",   "SUB:",  "DLVRD:", "SUBMIT ",
                                                   "DONE ", "STAT:", "ERR:",   "TEXT:"};
// Short and spelled out, the words differ behind these letters.
constexpr std::size_t tellingLetters = 5;

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

bool isLetter(char c) {
    return (upper(c) >= 'A' && upper(c) <= 'Z') || c == '_';
}

bool isComma(char c) {
    return c == ',' || c == ';';
}

bool isSame(char c, char ofKeyword) {
    return upper(c) == ofKeyword || (c == '=' && ofKeyword == ':');
}

std::uint8_t typeOf(const Pdu& pdu) {
    return pdu.number(Field::esmClass) & typeBits;
}

bool isFinal(MessageState state) {
    switch (state) {
        case MessageState::delivered:
        case MessageState::expired:
        case MessageState::deleted:
        case MessageState::undeliverable:
        case MessageState::unknown:
        case MessageState::rejected:
        case MessageState::skipped: return true;
        default: return false;
    }
}

struct Word {
    std::size_t begin = 0;  // in characters
    std::size_t end = 0;
    bool empty() const { return begin == end; }
};

// The receipt's text as characters of one octet or two. What UCS2 has beyond Latin-1 is read as
// DEL.
class Characters {
  public:
    Characters(nio::ByteView octets, Receipt::Form form)
        : octets_(octets), width_(form == Receipt::Form::ucs2 ? 2 : 1) {}

    std::size_t width() const { return width_; }
    std::size_t size() const { return octets_.size() / width_; }
    char at(std::size_t index) const {
        if (width_ == 2 && octets_[index * 2] != nio::Byte{0}) return '\x7F';
        return std::to_integer<char>(octets_[index * width_ + width_ - 1]);
    }

    // The word behind `from`: up to the next blank.
    Word word(std::size_t from) const {
        while (from < size() && (isBlank(at(from)) || isComma(at(from)))) ++from;
        return {from, endOfWord(from)};
    }
    // `keyword` is in upper case.
    bool begins(const Word& word, std::string_view keyword) const {
        if (word.end - word.begin < keyword.size()) return false;
        for (std::size_t i = 0; i < keyword.size(); ++i)
            if (!isSame(at(word.begin + i), keyword[i])) return false;
        return true;
    }
    // What stands behind the keyword that `word` begins with. A blank may follow the colon.
    Word value(const Word& keyed, std::size_t keywordSize) const {
        const Word here{keyed.begin + keywordSize, keyed.end};
        if (!here.empty()) return unquoted(here);
        const Word next = word(keyed.end);
        return has(next, ':') || isKeyword(next.begin) ? here : unquoted(next);
    }
    template <std::size_t Maximum>
    void copy(const Word& word, ShortText<Maximum>& out) const {
        out.clear();
        for (std::size_t i = word.begin; i < word.end; ++i) out.push(at(i));
    }

  private:
    std::size_t endOfWord(std::size_t from) const {
        while (from < size() && !isBlank(at(from)) && !separates(from)) ++from;
        return from;
    }
    // Ids may have commas in them.
    bool separates(std::size_t at) const {
        if (!isComma(this->at(at))) return false;
        const std::size_t next = at + 1;
        return next == size() || isBlank(this->at(next)) || isComma(this->at(next)) ||
               isKeyword(next) || isFieldName(next);
    }
    // Not only of those that are read here.
    bool isFieldName(std::size_t from) const {
        std::size_t end = from;
        while (end < size() && isLetter(at(end))) ++end;
        return end > from && end < size() && (at(end) == ':' || at(end) == '=');
    }
    bool isKeyword(std::size_t from) const {
        return std::any_of(keywords.begin(), keywords.end(), [&](std::string_view keyword) {
            return begins({from, size()}, keyword);
        });
    }
    bool has(const Word& word, char c) const {
        for (std::size_t i = word.begin; i < word.end; ++i)
            if (at(i) == c) return true;
        return false;
    }
    Word unquoted(const Word& word) const {
        const bool quoted = word.end - word.begin > 1 && at(word.begin) == '"';
        if (!quoted || at(word.end - 1) != '"') return word;
        return {word.begin + 1, word.end - 1};
    }

    nio::ByteView octets_;
    std::size_t width_;
};

class TextReader {
  public:
    // `start` is where the text begins in the message.
    TextReader(nio::ByteView message, std::size_t start, Receipt::Form form, Receipt& receipt)
        : text_(message.subspan(start), form), start_(start), receipt_(receipt) {
        receipt_.form = form;
    }

    bool read() {
        bool isDone = false;  // the word before was "done"
        for (Word word = text_.word(0); !word.empty(); word = text_.word(word.end)) {
            if (text_.begins(word, "TEXT:")) break;
            if (isDone && text_.begins(word, "DATE:")) takeDone(text_.value(word, 5));
            if (text_.begins(word, "DONEDATE:")) takeDone(text_.value(word, 9));
            isDone = text_.begins(word, "DONE");
            if (text_.begins(word, "ID:")) takeId(text_.value(word, 3));
            if (text_.begins(word, "STAT:")) takeState(text_.value(word, 5));
            if (text_.begins(word, "ERR:")) takeError(text_.value(word, 4));
        }
        return receipt_.hasTextId();
    }

  private:
    void takeId(const Word& id) {
        if (receipt_.hasTextId() || id.end - id.begin > receipt_.textId.maximum) return;
        text_.copy(id, receipt_.textId);
        receipt_.idOffset = start_ + id.begin * text_.width();
        receipt_.idSize = (id.end - id.begin) * text_.width();
    }
    void takeState(const Word& state) {
        const bool isKnown = messageStateNamed(receipt_.stateWord.view()).has_value();
        if (!isKnown) text_.copy(state, receipt_.stateWord);
    }
    void takeDone(const Word& date) {
        if (receipt_.doneDate.empty()) text_.copy(date, receipt_.doneDate);
    }
    void takeError(const Word& error) {
        if (receipt_.error.empty()) text_.copy(error, receipt_.error);
    }

    Characters text_;
    std::size_t start_;
    Receipt& receipt_;
};

// Some say UCS2 and send ASCII, and the other way round.
bool readTextFrom(std::size_t start, const Pdu& pdu, Receipt& receipt) {
    using enum Receipt::Form;
    const nio::ByteView message = pdu.message();
    const bool saysUcs2 = pdu.number(Field::dataCoding) == ucs2Coding;
    if (TextReader(message, start, saysUcs2 ? ucs2 : octets, receipt).read()) return true;
    Receipt other = receipt;
    if (!TextReader(message, start, saysUcs2 ? octets : ucs2, other).read()) return false;
    receipt = other;
    return true;
}

// Some say UDHI and send no header. Then a letter is taken for its length, and what stands behind
// that may be a user's.
void readText(const Pdu& pdu, Receipt& receipt) {
    const Characters whole(pdu.message(), Receipt::Form::octets);
    const bool isText = whole.begins({0, whole.size()}, "ID:");
    const std::size_t start = isText ? 0 : UserDataHeader(pdu).size();
    Receipt other = receipt;
    if (readTextFrom(start, pdu, receipt) || start == 0) return;
    if (readTextFrom(0, pdu, other)) receipt = other;
}

void readNetworkError(nio::ByteView value, Receipt& receipt) {
    if (value.size() != 3) return;
    const unsigned code =
        std::to_integer<unsigned>(value[1]) << 8 | std::to_integer<unsigned>(value[2]);
    std::array<char, 5> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), code);
    receipt.error.assign({digits.data(), written.ptr});
}

void readTlvs(const Pdu& pdu, Receipt& receipt) {
    if (const auto id = pdu.tlv(Tag::receiptedMessageId)) {
        receipt.tlvId = nio::asText(*id);
        receipt.tlvId = receipt.tlvId.substr(0, receipt.tlvId.find('\0'));
    }
    const auto state = pdu.tlv(Tag::messageState);
    if (state && state->size() == 1)
        receipt.state = static_cast<MessageState>(std::to_integer<std::uint8_t>((*state)[0]));
}

}  // namespace

std::string_view nameOf(MessageState state) {
    const auto number = static_cast<std::size_t>(state);
    return number < stateNames.size() ? stateNames[number] : "UNKNOWN";
}

std::optional<MessageState> decidedState(std::optional<MessageState> parameter,
                                         std::optional<MessageState> text) {
    if (!parameter || !text) return parameter ? parameter : text;
    const bool saysNothing =
        *parameter == MessageState::scheduled || *parameter > MessageState::skipped;
    const bool onlyTextIsFinal = isFinal(*text) && !isFinal(*parameter);
    return saysNothing || onlyTextIsFinal ? text : parameter;
}

std::optional<MessageState> messageStateNamed(std::string_view word) {
    if (word.size() < tellingLetters) return std::nullopt;
    const auto sameLetter = [](char a, char b) { return upper(a) == b; };
    for (std::size_t i = 0; i < stateNames.size(); ++i)
        if (std::equal(word.begin(), word.begin() + tellingLetters, stateNames[i].begin(),
                       sameLetter))
            return static_cast<MessageState>(i);
    return std::nullopt;
}

bool isReceipt(const Pdu& pdu) {
    if (pdu.command() != Command::deliverSm && pdu.command() != Command::dataSm) return false;
    if (typeOf(pdu) == deliveryReceipt || typeOf(pdu) == intermediateNotification) return true;
    // Some SMSCs leave esm_class alone, and say it by what nothing else has.
    return typeOf(pdu) == 0 && pdu.tlv(Tag::receiptedMessageId) && pdu.tlv(Tag::messageState);
}

std::optional<Receipt> receiptOf(const Pdu& pdu) {
    if (!isReceipt(pdu)) return std::nullopt;
    Receipt receipt;
    readTlvs(pdu, receipt);
    readText(pdu, receipt);
    if (receipt.id().empty()) return std::nullopt;
    receipt.state = decidedState(receipt.state, messageStateNamed(receipt.stateWord.view()));
    if (receipt.error.empty())
        if (const auto code = pdu.tlv(Tag::networkErrorCode)) readNetworkError(*code, receipt);
    receipt.intermediate = typeOf(pdu) == intermediateNotification;
    receipt.final = !receipt.intermediate && receipt.state && isFinal(*receipt.state);
    return receipt;
}

nio::Bytes idOctets(std::string_view id, Receipt::Form form) {
    if (form == Receipt::Form::octets) return nio::copyOf(nio::asBytes(id));
    nio::Bytes octets;
    octets.reserve(id.size() * 2);
    for (const nio::Byte octet : nio::asBytes(id)) {
        octets.push_back(nio::Byte{0});
        octets.push_back(octet);
    }
    return octets;
}

}  // namespace smpp
