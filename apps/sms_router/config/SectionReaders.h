// The sections of which a configuration has one: [router], [timers], [store], [admin], [records],
// [alarms], [http]; and the price list.
//
// Thread: any. Each leaves what the table does not say as it is.
#pragma once

#include "sms_router/config/Findings.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

void readRouter(TomlTable& table, RouterSection& router);
void readNumbers(TomlTable& table, NumberingPlan& plan);
void readTimers(TomlTable& table, TimerConfig& timers);
void readStore(TomlTable& table, StoreConfig& store);
void readAdmin(TomlTable& table, AdminConfig& admin);
void readRecords(TomlTable& table, RecordsConfig& records);
void readAlarms(TomlTable& table, AlarmConfig& alarms);
void readHttp(TomlTable& table, HttpConfig& http);

// Of the file router.price_list, into the connectors that are there already. It is CSV: lines of
// prefix,connector,price. Blank lines and those that begin with "#" are skipped; the first of the
// others may be these three words, in any case. A prefix has up to 20 digits and may begin with "+"
// or the international prefix; an empty one is for all other numbers. Reads the file, which may
// block.
void readPriceList(RouterConfig& config, Findings& findings);

}  // namespace router
