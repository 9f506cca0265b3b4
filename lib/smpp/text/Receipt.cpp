#include <smpp/text/Receipt.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>

#include <smpp/text/ReceiptWords.h>
#include <smpp/text/UserDataHeader.h>

namespace smpp {

namespace {

constexpr std::uint8_t typeBits = 0x3C;
constexpr std::uint8_t deliveryReceipt = 0x04;
constexpr std::uint8_t intermediateNotification = 0x20;
constexpr std::uint8_t bothOfThem = deliveryReceipt | intermediateNotification;
constexpr std::uint8_t ucs2Coding = 8;

constexpr std::array<std::string_view, 10> stateNames{"SCHEDLD", "ENROUTE", "DELIVRD", "EXPIRED",
                                                      "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN",
                                                      "REJECTD", "SKIPPED"};
// This many of appendix B's in an unmarked text say as much as a known state.
constexpr int tellingFields = 2;
constexpr std::array<std::string_view, 3> byteOrderMarks{"\xFE\xFF", "\xFF\xFE", "\xEF\xBB\xBF"};
constexpr std::uint8_t leastOfMarks = 0xEF;
// Short and spelled out, the words differ behind these letters.
constexpr std::size_t tellingLetters = 5;

std::size_t byteOrderMark(nio::ByteView text) {
    if (text.empty() || std::to_integer<std::uint8_t>(text.front()) < leastOfMarks) return 0;
    for (const std::string_view mark : byteOrderMarks)
        if (nio::asText(text).substr(0, mark.size()) == mark) return mark.size();
    return 0;
}

std::uint8_t typeOf(const Pdu& pdu) {
    return pdu.number(Field::esmClass) & typeBits;
}

}  // namespace

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

namespace {

std::size_t widthOf(Receipt::Form form) {
    return form == Receipt::Form::octets ? 1 : 2;
}

// What UCS2 has beyond Latin-1 becomes DEL. Without a NUL there is nothing in it to read.
std::string charactersOf(nio::ByteView ucs2, Receipt::Form form) {
    constexpr char del = 0x7F;
    std::string characters;
    if (std::find(ucs2.begin(), ucs2.end(), nio::Byte{0}) == ucs2.end()) return characters;
    const std::size_t low = form == Receipt::Form::ucs2 ? 1 : 0;
    for (std::size_t i = 0; i + 1 < ucs2.size(); i += 2) {
        const bool isLatin = ucs2[i + 1 - low] == nio::Byte{0};
        characters += isLatin ? std::to_integer<char>(ucs2[i + low]) : del;
    }
    return characters;
}

class TextReader {
  public:
    using Word = ReceiptWords::Word;
    using Name = ReceiptWords::Name;
    using Colon = ReceiptWords::Colon;

    // `start` is where the text begins in the message.
    TextReader(nio::ByteView message, std::size_t start, Receipt::Form form, Receipt& receipt,
               Colon colon = Colon::needed)
        : start_(start + byteOrderMark(message.subspan(start))),
          width_(widthOf(form)),
          wide_(width_ == 1 ? std::string() : charactersOf(message.subspan(start_), form)),
          text_(width_ == 1 ? nio::asText(message.subspan(start_)) : wide_, colon),
          receipt_(receipt) {
        receipt_.form = form;
    }
    TextReader(const TextReader&) = delete;
    TextReader& operator=(const TextReader&) = delete;

    bool read() {
        for (Word word = text_.word(0); !word.empty(); word = text_.word(word.end)) {
            if (word.keyword.name == Name::text) break;
            take(word);
        }
        return receipt_.hasTextId();
    }

    // Also behind "text:", where the last id counts, and what stands behind it: the SMSC's fields
    // follow what it quotes.
    bool readAll() {
        Receipt before = receipt_;
        for (Word word = text_.word(0); !word.empty(); word = text_.word(word.end)) {
            if (word.keyword.name == Name::text) {
                if (!receipt_.isQuoted) before = receipt_;
                receipt_.isQuoted = before.isQuoted = true;
                word.end = word.begin + word.keyword.size;
                continue;
            }
            if (receipt_.isQuoted && word.keyword.name == Name::id) receipt_ = before;
            take(word);
        }
        return receipt_.isQuoted && receipt_.hasTextId();
    }

  private:
    void take(const Word& word) {
        const ReceiptWords::Keyword& keyword = word.keyword;
        if (keyword.name == Name::id) return takeId(text_.value(word));
        if (keyword.isOfAppendixB) receipt_.fields |= 1U << static_cast<unsigned>(keyword.name);
        switch (keyword.name) {
            case Name::doneDate: return takeDone(text_.value(word));
            case Name::state: return takeState(text_.value(word));
            case Name::error: return takeError(text_.value(word));
            default: return;
        }
    }
    void takeId(const Word& word) {
        if (receipt_.hasTextId()) return;
        const Word all = text_.withBlanks(word);
        const bool takesAll = receipt_.idWords == Receipt::IdWords::all;
        const Word& id = takesAll ? all : word;
        if (id.end - id.begin > receipt_.textId.maximum) return;
        receipt_.mayGoOn = all.end > id.end;
        text_.copy(id, receipt_.textId);
        receipt_.idOffset = start_ + id.begin * width_;
        receipt_.idSize = (id.end - id.begin) * width_;
    }
    void takeState(const Word& state) {
        const bool isKnown = messageStateNamed(receipt_.stateWord.view()).has_value();
        if (!isKnown) text_.copy(state, receipt_.stateWord);
    }
    void takeDone(const Word& date) {
        if (receipt_.doneDate.empty()) text_.copy(text_.dateWithBlanks(date), receipt_.doneDate);
    }
    void takeError(const Word& error) {
        if (receipt_.error.empty()) text_.copy(error, receipt_.error);
    }

    std::size_t start_;
    std::size_t width_;
    std::string wide_;  // the text, where its characters have two octets
    ReceiptWords text_;
    Receipt& receipt_;
};

// Some say UCS2 and send ASCII, and the other way round.
bool readTextFrom(std::size_t start, nio::ByteView message, bool saysUcs2, Receipt& receipt) {
    using enum Receipt::Form;
    if (TextReader(message, start, saysUcs2 ? ucs2 : octets, receipt).read()) return true;
    Receipt other = receipt;
    if (!TextReader(message, start, saysUcs2 ? octets : ucs2, other).read()) return false;
    receipt = other;
    return true;
}

bool saysUcs2(const Pdu& pdu) {
    return pdu.number(Field::dataCoding) == ucs2Coding;
}

// No id stands before "text:", or none that has a colon.
void readQuoted(std::size_t start, const Pdu& pdu, Receipt& receipt) {
    using enum Receipt::Form;
    for (const Receipt::Form form : {octets, ucs2, ucs2LittleEndian}) {
        Receipt read = receipt;
        if (!TextReader(pdu.message(), start, form, read).readAll()) {
            read = receipt;
            TextReader plain(pdu.message(), start, form, read, ReceiptWords::Colon::optional);
            if (!plain.read()) continue;
            read.isQuoted = true;
        }
        const bool isOther = !receipt.id().empty() && read.textId.view() != receipt.id();
        if (!isOther) receipt = read;
        return;
    }
}

// Some say UDHI and send no header. Then a letter is taken for its length, and what stands behind
// that may be a user's.
void readText(const Pdu& pdu, Receipt& receipt) {
    const nio::ByteView message = pdu.message();
    const std::size_t header = UserDataHeader(pdu).size();
    const std::string_view whole = nio::asText(message.subspan(byteOrderMark(message)));
    const bool isText = header > 0 && ReceiptWords(whole).keyword(0).name == ReceiptWords::Name::id;
    const std::size_t start = isText ? 0 : header;
    Receipt other = receipt;
    if (readTextFrom(start, message, saysUcs2(pdu), receipt)) return;
    const bool isFound = start > 0 && readTextFrom(0, message, saysUcs2(pdu), other);
    if (isFound || TextReader(message, 0, Receipt::Form::ucs2LittleEndian, other).read()) {
        receipt = other;
    } else if (receipt.isMarked) {
        readQuoted(start, pdu, receipt);
    }
}

// 3.4 forbids a text in both, which keeps nobody from it.
void readShortMessage(const Pdu& pdu, Receipt& receipt) {
    const nio::ByteView text = pdu.octets(Field::shortMessage);
    if (text.empty() || text.data() == pdu.message().data()) return;
    Receipt read;
    read.idWords = receipt.idWords;
    if (!readTextFrom(0, text, saysUcs2(pdu), read)) return;
    if (receipt.textId.empty()) receipt.textId = read.textId;
    receipt.shortIdOffset = read.idOffset;
    receipt.shortIdSize = read.idSize;
    receipt.shortForm = read.form;
    receipt.mayGoOn = receipt.mayGoOn || read.mayGoOn;
    if (receipt.stateWord.empty()) receipt.stateWord = read.stateWord;
    if (receipt.doneDate.empty()) receipt.doneDate = read.doneDate;
    if (receipt.error.empty()) receipt.error = read.error;
    receipt.fields |= read.fields;
}

// Without NULs before and behind it.
std::string_view textOf(nio::ByteView value) {
    const std::string_view text = nio::asText(value);
    const std::size_t first = std::min(text.find_first_not_of('\0'), text.size());
    return text.substr(first, text.find('\0', first) - first);
}

constexpr std::string_view blanks = " \t\r\n";

bool isDigits(std::string_view text) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && std::all_of(text.begin(), text.end(), isDigit);
}

// A network type and a code of two octets; some leave out the type, or write two octets of it, or
// write all in digits.
void readNetworkError(nio::ByteView value, Receipt& receipt) {
    if (isDigits(textOf(value))) return receipt.error.assign(textOf(value));
    if (value.size() < 2 || value.size() > 4) return;
    const nio::ByteView last = value.last(2);
    const unsigned code =
        std::to_integer<unsigned>(last[0]) << 8 | std::to_integer<unsigned>(last[1]);
    std::array<char, 5> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), code);
    receipt.error.assign({digits.data(), written.ptr});
}

// An octet; some write a word, a digit, or a number of more octets in either order.
std::optional<MessageState> stateIn(nio::ByteView value) {
    const std::string_view text = textOf(value);
    if (isDigits(text)) {
        unsigned number = 0xFF;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return static_cast<MessageState>(std::min(number, 0xFFu));
    }
    if (value.size() == 1) return static_cast<MessageState>(value.front());
    if (const auto named = messageStateNamed(text)) return named;
    if (value.empty() || value.size() > 4) return std::nullopt;
    const nio::Byte number = value.back() != nio::Byte{0} ? value.back() : value.front();
    const auto isOther = [number](nio::Byte octet) {
        return octet != number && octet != nio::Byte{0};
    };
    if (std::any_of(value.begin(), value.end(), isOther)) return std::nullopt;
    return static_cast<MessageState>(number);
}

bool isPrintable(std::string_view text) {
    const auto isCharacter = [](unsigned char c) { return c >= 0x20 && c != 0x7F; };
    return std::all_of(text.begin(), text.end(), isCharacter);
}

// Of its first two characters, one octet each is a NUL.
bool mayBeWide(nio::ByteView value) {
    const auto isNul = [value](std::size_t at) { return value[at] == nio::Byte{0}; };
    return value.size() >= 4 && isNul(0) != isNul(1) && isNul(0) == isNul(2) &&
           isNul(1) == isNul(3);
}

void readWideId(nio::ByteView value, Receipt& receipt) {
    using enum Receipt::Form;
    std::string id = charactersOf(value, value[0] == nio::Byte{0} ? ucs2 : ucs2LittleEndian);
    id.erase(id.find_last_not_of('\0') + 1);
    if (isPrintable(id)) receipt.textId.assign(id);
}

// Some write a number's octets: an id is not made up of them.
void readId(nio::ByteView value, Receipt& receipt) {
    if (mayBeWide(value)) return readWideId(value, receipt);
    const std::string_view text = textOf(value);
    const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
    const std::string_view id = text.substr(first, text.find_last_not_of(blanks) + 1 - first);
    if (isPrintable(id)) receipt.tlvId = id;
}

void readTlvs(const Pdu& pdu, Receipt& receipt) {
    if (const auto id = pdu.tlv(Tag::receiptedMessageId)) readId(*id, receipt);
    if (const auto state = pdu.tlv(Tag::messageState)) receipt.state = stateIn(*state);
}

bool isDelivery(const Pdu& pdu) {
    return pdu.command() == Command::deliverSm || pdu.command() == Command::dataSm;
}

// "id" in any case, in characters of one octet or two.
bool namesId(nio::ByteView message) {
    const auto isThere = [message](std::size_t at, char letter) {
        return (std::to_integer<char>(message[at]) & ~0x20) == letter;
    };
    for (std::size_t i = 1; i < message.size(); ++i) {
        if (!isThere(i, 'D')) continue;
        if (isThere(i - 1, 'I')) return true;
        if (i > 1 && message[i - 1] == nio::Byte{0} && isThere(i - 2, 'I')) return true;
    }
    return false;
}

// Most messages need not be read for that.
bool mayBeText(const Pdu& pdu) {
    if (!isDelivery(pdu)) return false;
    if (pdu.tlv(Tag::receiptedMessageId)) return true;
    const nio::ByteView message = pdu.message();
    const auto divides = [](nio::Byte octet) {
        return ReceiptWords::mayDivide(std::to_integer<char>(octet));
    };
    return std::any_of(message.begin(), message.end(), divides) && namesId(message);
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
    const auto sameLetter = [](char a, char b) { return ReceiptWords::upper(a) == b; };
    for (std::size_t i = 0; i < stateNames.size(); ++i)
        if (std::equal(word.begin(), word.begin() + tellingLetters, stateNames[i].begin(),
                       sameLetter))
            return static_cast<MessageState>(i);
    return std::nullopt;
}

bool isReceipt(const Pdu& pdu) {
    if (!isDelivery(pdu)) return false;
    const std::uint8_t type = typeOf(pdu);
    // Others are acknowledgements of the message's receiver.
    if (type != 0) return (type & ~bothOfThem) == 0;
    // Some SMSCs leave esm_class alone, and say it by what nothing else has.
    return pdu.tlv(Tag::receiptedMessageId) && pdu.tlv(Tag::messageState);
}

std::optional<Receipt> receiptOf(const Pdu& pdu, Receipt::IdWords idWords) {
    const bool isMarked = isReceipt(pdu);
    if (!isMarked && !mayBeText(pdu)) return std::nullopt;
    Receipt receipt;
    receipt.isMarked = isMarked;
    receipt.idWords = idWords;
    readTlvs(pdu, receipt);
    readText(pdu, receipt);
    readShortMessage(pdu, receipt);
    if (receipt.id().empty()) return std::nullopt;
    const std::optional<MessageState> named = messageStateNamed(receipt.stateWord.view());
    const bool isTold = named || std::popcount(receipt.fields) >= tellingFields;
    if (!isMarked && !isTold) return std::nullopt;
    receipt.state = decidedState(receipt.state, named);
    receipt.networkError = pdu.tlv(Tag::networkErrorCode).value_or(nio::ByteView());
    if (receipt.error.empty()) readNetworkError(receipt.networkError, receipt);
    receipt.intermediate = typeOf(pdu) == intermediateNotification;
    receipt.final = !receipt.intermediate && receipt.state && isFinal(*receipt.state);
    return receipt;
}

nio::Bytes idOctets(std::string_view id, Receipt::Form form) {
    if (form == Receipt::Form::octets) return nio::copyOf(nio::asBytes(id));
    const std::size_t low = form == Receipt::Form::ucs2 ? 1 : 0;
    nio::Bytes octets(id.size() * 2);
    for (std::size_t i = 0; i < id.size(); ++i) octets[i * 2 + low] = nio::asBytes(id)[i];
    return octets;
}

}  // namespace smpp
