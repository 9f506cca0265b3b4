// The sections of which a configuration has one: [router], [timers], [store], [admin], [records],
// [alarms].
//
// Thread: any. Each leaves what the table does not say as it is.
#pragma once

#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

void readRouter(TomlTable& table, RouterConfig& config);
void readNumbers(TomlTable& table, NumberingPlan& plan);
void readTimers(TomlTable& table, TimerConfig& timers);
void readStore(TomlTable& table, StoreConfig& store);
void readAdmin(TomlTable& table, AdminConfig& admin);
void readRecords(TomlTable& table, RecordsConfig& records);
void readAlarms(TomlTable& table, AlarmConfig& alarms);

}  // namespace router
