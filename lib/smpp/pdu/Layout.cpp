#include <smpp/pdu/Layout.h>

namespace smpp {

namespace {

// What answers a C-octet string that breaks its rule. Counts and lists have several (BodyScan).
constexpr Status problemOf(Field field) {
    switch (field) {
        case Field::systemId: return Status::invSysId;
        case Field::password: return Status::invPaswd;
        case Field::systemType: return Status::invSysTyp;
        case Field::addressRange: return Status::bindFail;
        case Field::serviceType: return Status::invSerTyp;
        case Field::sourceAddress: return Status::invSrcAdr;
        case Field::destinationAddress:
        case Field::esmAddress: return Status::invDstAdr;
        case Field::scheduleTime: return Status::invSched;
        case Field::validityPeriod: return Status::invExpiry;
        case Field::finalDate: return Status::unknownErr;
        case Field::messageId: return Status::invMsgId;
        default: return Status::invCmdLen;
    }
}

constexpr FieldRule rule(Field field, Kind kind, std::uint8_t maximum = 1) {
    return {field, kind, maximum, problemOf(field)};
}
constexpr FieldRule text(Field field, std::uint8_t maximum) {
    return rule(field, Kind::text, maximum);
}
constexpr FieldRule time(Field field) {
    return rule(field, Kind::time, 17);
}
constexpr FieldRule integer(Field field) {
    return rule(field, Kind::integer);
}

constexpr bool noTlvs = false;
constexpr bool tlvs = true;

constexpr Layout layout(bool hasTlvs, std::initializer_list<FieldRule> rules) {
    Layout made;
    made.hasTlvs = hasTlvs;
    for (std::uint8_t& position : made.positions) position = Layout::nowhere;
    for (const FieldRule& each : rules) {
        made.positions[static_cast<std::size_t>(each.field)] = made.count;
        made.rules[made.count++] = each;
    }
    return made;
}

constexpr std::uint8_t anyAddress = 65;  // of data_sm and alert_notification
constexpr std::uint8_t messageIdSize = 65;

constexpr Layout headerOnly = layout(noTlvs, {});

constexpr Layout bind = layout(noTlvs, {
                                           text(Field::systemId, 16),
                                           text(Field::password, 9),
                                           text(Field::systemType, 13),
                                           integer(Field::interfaceVersion),
                                           integer(Field::addressTon),
                                           integer(Field::addressNpi),
                                           text(Field::addressRange, 41),
                                       });

constexpr Layout bindResp = layout(tlvs, {text(Field::systemId, 16)});

constexpr Layout outbind = layout(noTlvs, {text(Field::systemId, 16), text(Field::password, 9)});

constexpr Layout submitSm = layout(tlvs, {
                                             text(Field::serviceType, 6),
                                             integer(Field::sourceTon),
                                             integer(Field::sourceNpi),
                                             text(Field::sourceAddress, maxAddress),
                                             integer(Field::destinationTon),
                                             integer(Field::destinationNpi),
                                             text(Field::destinationAddress, maxAddress),
                                             integer(Field::esmClass),
                                             integer(Field::protocolId),
                                             integer(Field::priority),
                                             time(Field::scheduleTime),
                                             time(Field::validityPeriod),
                                             integer(Field::registeredDelivery),
                                             integer(Field::replaceIfPresent),
                                             integer(Field::dataCoding),
                                             integer(Field::defaultMessageId),
                                             rule(Field::messageLength, Kind::octetCount),
                                             rule(Field::shortMessage, Kind::octets),
                                         });

constexpr Layout submitMulti =
    layout(tlvs, {
                     text(Field::serviceType, 6),
                     integer(Field::sourceTon),
                     integer(Field::sourceNpi),
                     text(Field::sourceAddress, maxAddress),
                     rule(Field::destinationCount, Kind::destinationCount),
                     rule(Field::destinations, Kind::destinations),
                     integer(Field::esmClass),
                     integer(Field::protocolId),
                     integer(Field::priority),
                     time(Field::scheduleTime),
                     time(Field::validityPeriod),
                     integer(Field::registeredDelivery),
                     integer(Field::replaceIfPresent),
                     integer(Field::dataCoding),
                     integer(Field::defaultMessageId),
                     rule(Field::messageLength, Kind::octetCount),
                     rule(Field::shortMessage, Kind::octets),
                 });

// Only SMSCs send these: what is refused is lost.
constexpr Layout ofSmsc(Layout layout) {
    layout.longestText = 256;
    return layout;
}

constexpr Layout deliverSm = ofSmsc(submitSm);

constexpr Layout messageIdResp = layout(tlvs, {text(Field::messageId, messageIdSize)});

constexpr Layout submitMultiResp =
    layout(tlvs, {
                     text(Field::messageId, messageIdSize),
                     rule(Field::unsuccessCount, Kind::unsuccessCount),
                     rule(Field::unsuccess, Kind::unsuccess),
                 });

constexpr Layout dataSm = layout(tlvs, {
                                           text(Field::serviceType, 6),
                                           integer(Field::sourceTon),
                                           integer(Field::sourceNpi),
                                           text(Field::sourceAddress, anyAddress),
                                           integer(Field::destinationTon),
                                           integer(Field::destinationNpi),
                                           text(Field::destinationAddress, anyAddress),
                                           integer(Field::esmClass),
                                           integer(Field::registeredDelivery),
                                           integer(Field::dataCoding),
                                       });

constexpr Layout querySm = layout(noTlvs, {
                                              text(Field::messageId, messageIdSize),
                                              integer(Field::sourceTon),
                                              integer(Field::sourceNpi),
                                              text(Field::sourceAddress, maxAddress),
                                          });

constexpr Layout querySmResp = layout(noTlvs, {
                                                  text(Field::messageId, messageIdSize),
                                                  time(Field::finalDate),
                                                  integer(Field::messageState),
                                                  integer(Field::errorCode),
                                              });

constexpr Layout cancelSm = layout(noTlvs, {
                                               text(Field::serviceType, 6),
                                               text(Field::messageId, messageIdSize),
                                               integer(Field::sourceTon),
                                               integer(Field::sourceNpi),
                                               text(Field::sourceAddress, maxAddress),
                                               integer(Field::destinationTon),
                                               integer(Field::destinationNpi),
                                               text(Field::destinationAddress, maxAddress),
                                           });

constexpr Layout replaceSm = layout(tlvs, {
                                              text(Field::messageId, messageIdSize),
                                              integer(Field::sourceTon),
                                              integer(Field::sourceNpi),
                                              text(Field::sourceAddress, maxAddress),
                                              time(Field::scheduleTime),
                                              time(Field::validityPeriod),
                                              integer(Field::registeredDelivery),
                                              integer(Field::defaultMessageId),
                                              rule(Field::messageLength, Kind::octetCount),
                                              rule(Field::shortMessage, Kind::octets),
                                          });

constexpr Layout alertNotification = ofSmsc(layout(tlvs, {
                                                             integer(Field::sourceTon),
                                                             integer(Field::sourceNpi),
                                                             text(Field::sourceAddress, anyAddress),
                                                             integer(Field::esmTon),
                                                             integer(Field::esmNpi),
                                                             text(Field::esmAddress, anyAddress),
                                                         }));

}  // namespace

const Layout* layoutOf(Command command) {
    switch (command) {
        case Command::genericNack:
        case Command::unbind:
        case Command::unbindResp:
        case Command::replaceSmResp:
        case Command::cancelSmResp:
        case Command::enquireLink:
        case Command::enquireLinkResp: return &headerOnly;
        case Command::bindReceiver:
        case Command::bindTransmitter:
        case Command::bindTransceiver: return &bind;
        case Command::bindReceiverResp:
        case Command::bindTransmitterResp:
        case Command::bindTransceiverResp: return &bindResp;
        case Command::outbind: return &outbind;
        case Command::submitSm: return &submitSm;
        case Command::deliverSm: return &deliverSm;
        case Command::submitSmResp:
        case Command::deliverSmResp:
        case Command::dataSmResp: return &messageIdResp;
        case Command::submitMulti: return &submitMulti;
        case Command::submitMultiResp: return &submitMultiResp;
        case Command::dataSm: return &dataSm;
        case Command::querySm: return &querySm;
        case Command::querySmResp: return &querySmResp;
        case Command::cancelSm: return &cancelSm;
        case Command::replaceSm: return &replaceSm;
        case Command::alertNotification: return &alertNotification;
    }
    return nullptr;
}

}  // namespace smpp
