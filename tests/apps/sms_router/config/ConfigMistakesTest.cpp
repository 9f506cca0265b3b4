// Every mistake that a configuration can have: what is written, its line, what is said of it.
#include "apps/sms_router/config/ConfigTesting.h"

namespace router {
namespace {

using namespace configtesting;
using testing::HasSubstr;

struct Row {
    const char* toml;
    int line;
    const char* what;
};

// The only mistake is this one.
void expectMistake(const Row& row) {
    const ConfigReading reading = readConfig(std::string(row.toml) + rest, {});
    EXPECT_FALSE(reading.config) << row.toml;
    ASSERT_EQ(reading.mistakes.size(), 1u) << row.toml << "\n" << mistakesOf(reading);
    EXPECT_EQ(reading.mistakes[0].line, row.line) << row.toml << "\n" << reading.mistakes[0].what;
    EXPECT_THAT(reading.mistakes[0].what, HasSubstr(row.what)) << row.toml;
}

template <std::size_t n>
void expectMistakes(const Row (&rows)[n]) {
    for (const Row& row : rows) expectMistake(row);
}

TEST(ConfigMistakes, OfTheLanguageHaveTheirLine) {
    expectMistakes({
        {"[router\n", 1, "invalid TOML: "},
        {"\n\nx = \n", 3, "invalid TOML: "},
        {"[router]\nthreads = 1\nthreads = 2\n", 3, "invalid TOML: "},
        {"[router]\nthreads = 1x\n", 2, "invalid TOML: "},
        {"[listener.rest]\n", 3, "invalid TOML: "},  // and once more in the rest
    });
}

TEST(ConfigMistakes, AreNulCharactersWhichWouldCutAPath) {
    expectMistakes({
        {"[records]\npath=\"a\\u0000b\"\n", 2, "contains a NUL"},
        {"[store]\npath=\"a\\u0000b\"\n", 2, "contains a NUL"},
        {"[admin]\ntoken_file=\"a\\u0000b\"\n", 2, "contains a NUL"},
        {"[connector.x]\nhost=\"a\\u0000b\"\nsystem_id='x'\n", 2, "contains a NUL"},
    });
}

TEST(ConfigMistakes, AreUnknownKeys) {
    expectMistakes({
        {"colour = 1\n", 1, "unknown key 'colour'"},
        {"[ruoter]\n", 1, "unknown key 'ruoter'; did you mean 'router'?"},
        {"[router]\nthread = 1\n", 2, "unknown key 'router.thread'; did you mean 'threads'?"},
        {"[router]\n\ncolour.red = 1\n", 3, "unknown key 'router.colour'"},
        {"[listner.x]\n", 1, "unknown key 'listner'; did you mean 'listener'?"},
        {"[timers]\nrespons = 1\n", 2, "'timers.respons'; did you mean 'response'?"},
        {"[listener.x]\nprot = 1\n", 2, "'listener.x.prot'; did you mean 'port'?"},
        {"[listener.x]\nport=1\ntls = { certificate='/dev/null', key='/dev/null', x=1 }\n", 3,
         "unknown key 'listener.x.tls.x'"},
        {"[account.x]\npassword='x'\nmax_bind = 1\n", 3, "did you mean 'max_binds'?"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nwindows = 1\n", 4, "did you mean 'window'?"},
        {"[group.x]\nmembers=['one']\nmember = 1\n", 3, "did you mean 'members'?"},
        {"[[route]]\nreject='8'\ndestination='1'\n", 3, "did you mean 'destinations'?"},
        {"[[route]]\nconnector='one'\nrewrite_source={strip='1'}\n", 3,
         "unknown key 'route.rewrite_source.strip'"},
        {"[[mo]]\naccount='alice'\ndestination='1'\n", 3, "did you mean 'destinations'?"},
        {"[store]\npaths='x'\n", 2, "did you mean 'path'?"},
        {"[admin]\ntokens='x'\n", 2, "did you mean 'token'?"},
        {"[records]\npathh='x'\n", 2, "did you mean 'path'?"},
    });
}

TEST(ConfigMistakes, AreValuesOfTheWrongKind) {
    expectMistakes({
        {"router = 1\n", 1, "router: is an integer, not a table"},
        {"listener.x = 'y'\n", 1, "listener.x: is a string, not a table"},
        {"group = []\n", 1, "write [group.NAME]"},
        {"[route]\n", 1, "write [[route]]"},
        {"route = [1]\n", 1, "route: is an integer, not a table"},
        {"[router]\nsystem_id = 7\n", 2, "router.system_id: is an integer, not a string"},
        {"[router]\nthreads = 'many'\n", 2, "router.threads: 'many' is not a whole number"},
        {"[router]\nthreads = -1\n", 2, "-1 is not a whole number"},
        {"[router]\nthreads = 1.5\n", 2, "1.5 is not a whole number"},
        {"[router]\nselector = true\n", 2, "is true or false, not a string"},
        {"[router]\ndrain_timeout = 'soon'\n", 2, "'soon' is not a time"},
        {"[router]\ndrain_timeout = -1\n", 2, "-1 is not a time"},
        {"[router]\ndrain_timeout = nan\n", 2, "is not a time"},
        {"[router]\ndrain_timeout = '1week'\n", 2, "is not a time"},
        {"[router]\ndrain_timeout = 'd'\n", 2, "is not a time"},
        {"[router]\ndrain_timeout = 2020-01-01\n", 2, "is not a time"},
        {"[records]\nmask_addresses = 'yes'\n", 2, "neither true nor false"},
        {"[account.x]\npassword='x'\nsources = 7\n", 3, "is an integer, not an array of strings"},
        {"[account.x]\npassword='x'\nsources = ['1',\n 7]\n", 4, "7 is not a string"},
        {"[account.x]\npassword='x'\nmessages_per_second='fast'\n", 3, "'fast' is not a number"},
        {"[account.x]\npassword='x'\nmessages_per_second=inf\n", 3, "inf is not a number"},
        {"[group.x]\ntiers = 'one'\n", 2, "is a string, not an array of arrays"},
        {"[group.x]\ntiers = [['one'],\n 'two']\n", 3, "'two' is not an array of strings"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ntls = 'yes'\n", 4, "neither true nor false"},
    });
}

TEST(ConfigMistakes, AreValuesOutOfTheirRange) {
    expectMistakes({
        {"[router]\nsystem_id = '1234567890123456'\n", 2, "longer than the 15 octets"},
        {"[router]\nsystem_id = \"a\\u0000b\"\n", 2, "contains a NUL"},
        {"[router]\nthreads = 1025\n", 2, "1025 is out of range: 0 to 1024"},
        {"[router]\nselector = 'devpoll'\n", 2,
         "'devpoll' is not one of auto, epoll, poll, select, uring"},
        {"[router]\ndrain_timeout = '2h'\n", 2, "'2h' is out of range: 0s to 3600s"},
        {"[router]\nmax_pdu_bytes = 16\n", 2, "16 is out of range: 1024 to 16777216"},
        {"[router]\nmax_unbound_pdu_bytes = 99\n", 2, "99 is out of range: 128 to 16777216"},
        {"[router]\nmemory_budget = 1000\n", 2, "the minimum is 1Mi"},
        {"[router]\nmemory_budget = -1\n", 2, "-1"},
        {"[router]\nmoderation = '11ms'\n", 2, "'11ms' is out of range: 0s to 10ms"},
        {"[router]\nstall_limit = '2h'\n", 2, "'2h' is out of range: 0s to 3600s"},
        {"[router]\nflight_records = 99999999\n", 2, "99999999 is out of range: 0 to 16777216"},
        {"[router]\nno_route = 'ESME_RNONSENSE'\n", 2, "'ESME_RNONSENSE' is not a command_status"},
        {"[router]\nno_route = 'ESME_ROK'\n", 2, "ESME_ROK is not an error status"},
        {"[timers]\nresponse = '2d'\n", 2, "'2d' is out of range: 0s to 1d"},
        {"[listener.x]\nport = 65536\n", 2, "65536 is out of range: 0 to 65535"},
        {"[listener.x]\nport = 1\nhost = ''\n", 3, "listener.x.host: is empty"},
        {"[account.x]\npassword='x'\nmax_binds = 0\n", 3, "0 is out of range: 1 to"},
        {"[account.x]\npassword='x'\nwindow = 0\n", 3, "0 is out of range: 1 to"},
        {"[account.x]\npassword='x'\ndeliver_window = 0\n", 3, "0 is out of range: 1 to"},
        {"[account.x]\npassword='x'\nmessages_per_second=1000001\n", 3, "is out of range: 0 to 1M"},
        {"[account.x]\npassword='x'\nkeep_for = 0\n", 3, "0 is out of range: 1s to 90d"},
        {"[account.12345678901234567890123456789012345678901234567890123456789012345]\n"
         "password='x'\n",
         1, "a name must have 1 to 64 printable octets"},
        {"[listener.\"a\\u001bb\"]\nport=1\n", 1, "a name must have 1 to 64 printable octets"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nport = 0\n", 4, "0 is out of range: 1 to 65535"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\npassword='"
         "12345678901234567890123456789012345678901234567890"
         "123456789012345'\n",
         4, "64 octets"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nsystem_type='1234567890123'\n", 4, "12 octets"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\naddress_ton=256\n", 4, "out of range: 0 to 255"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ninterface_version='5.0'\n", 4,
         "'5.0' is not one of 3.3, 3.4"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nresponse=0\n", 4, "0 is out of range: 1ms to 1d"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ncost=-1\n", 4, "-1 is out of range: 0 to 1G"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nweight=0\n", 4, "0 is out of range: 1 to 1000"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nconcatenation='udh'\n", 4,
         "'udh' is not one of udh8, udh16, sar"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nreconnect_first='2m'\n", 4,
         "reconnect_max is less than reconnect_first"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\nreconnect_max='10ms'\n", 4,
         "reconnect_max is less than reconnect_first"},
        {"[group.x]\nmembers=['one']\nbalance='fair'\n", 3,
         "'fair' is not one of round-robin, weighted, cheapest, fewest-outstanding"},
        {"[[route]]\nreject='8'\ndata_codings = [0,\n 256]\n", 4, "256 is out of range: 0 to 255"},
        {"[[route]]\nreject='8'\nservice_types='TOOLONG'\n", 3, "longer than 5 octets"},
        {"[[route]]\nreject='8'\ntime='8-20'\n", 3, "'8-20' is not a time of day"},
        {"[[route]]\nreject='8'\ndays='monday'\n", 3, "'monday' is not a day"},
        {"[store]\ndurability='disk'\n", 2, "'disk' is not one of commit, memory"},
        {"[store]\npath=''\n", 2, "store.path: is empty"},
        {"[store]\nmax_ids=0\n", 2, "0 is out of range: 1 to"},
        {"[admin]\nport=70000\n", 2, "70000 is out of range: 0 to 65535"},
        {"[alarms]\nurl='a/'\n", 2, "alarms.url: must begin with http:// or https://"},
        {"[alarms]\nurl_attempts=0\n", 2, "0 is out of range: 1 to 20"},
        {"[admin]\ntoken='a b'\n", 2, "must be printable ASCII"},
        {"[records]\npath=''\n", 2, "records.path: is empty"},
        {"[router]\nprice_list=''\n", 2, "router.price_list: is empty"},
        {"[alarms]\nurl=''\n", 2, "alarms.url: is empty"},
        {"[admin]\ntoken=''\n", 2, "admin.token: is empty"},
    });
}

TEST(ConfigMistakes, AreAddressesAndPatternsThatAreNone) {
    expectMistakes({
        {"[account.x]\npassword='x'\nallowed_from=['127.0.0.1',\n '10.0.0.1/8']\n", 4,
         "'10.0.0.1/8' is not an address or CIDR block"},
        {"[account.x]\npassword='x'\nallowed_from='localhost'\n", 3,
         "'localhost' is not an address"},
        {"[account.x]\npassword='x'\nallowed_from=[]\n", 3, "allows no address"},
        {"[account.x]\npassword='x'\nnumbers=['1',\n '/(/']\n", 4, "account.x.numbers: '/(/': "},
        {"[account.x]\npassword='x'\nsources=['']\n", 3, "account.x.sources: '': "},
        {"[account.x]\npassword='x'\ndestinations=['1*2']\n", 3, "'1*2': "},
        {"[[route]]\nreject='8'\ndestinations=['*1']\n", 3, "route.destinations: '*1': "},
        {"[[route]]\nreject='8'\nsources=['/[/']\n", 3, "route.sources: '/[/': "},
        {"[connector.x]\nsystem_id='x'\noutbind_listen='here'\n", 3, "'here' is not an address"},
        {"[listener.x]\nport=1\nhost='localhost'\n", 3, "'localhost' is not an address"},
        {"[admin]\nhost='localhost'\n", 2,
         "'localhost' is not an address (host names are not resolved)"},
        {"[connector.x]\nsystem_id='x'\noutbind_listen='unix:/x'\n", 3, "is not an address"},
    });
}

TEST(ConfigMistakes, AreThingsThatAreMissing) {
    expectMistakes({
        {"\n[account.x]\nwindow = 1\n", 2, "account.x: has neither password nor password_hash"},
        {"[account.x]\npassword=''\n", 2, "account.x.password: is empty"},
        {"\n[connector.x]\nsystem_id='x'\n", 2, "connector.x: has no host"},
        {"[connector.x]\nsystem_id='x'\nhost=''\n", 3, "connector.x.host: is empty"},
        {"\n[connector.x]\nhost='h'\n", 2, "connector.x: has no system_id"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ntransceivers=0\n", 1, "has no bind"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ntransceivers=0\nreceivers=0\n", 1, "has no bind"},
        {"[group.x]\n", 1, "group.x: has neither members nor tiers"},
        {"[group.x]\nmembers=[]\n", 2, "group.x.members: is empty"},
        {"[group.x]\ntiers=[]\n", 2, "group.x.tiers: is empty"},
        {"[group.x]\ntiers=[['one'],[]]\n", 2, "has an empty tier"},
        {"\n[[route]]\ndestinations='1'\n", 2, "route: has neither connector nor group nor reject"},
        {"[[route]]\nreject='8'\naccounts=[]\n", 3, "is empty: nothing would match"},
        {"[[route]]\nreject='8'\nname=''\n", 3, "route.name: is empty"},
        {"\n[[mo]]\ndestinations='1'\n", 2, "mo: has no account"},
        {"[[mo]]\naccount='alice'\nconnectors=[]\n", 3, "is empty: nothing would match"},
        {"[listener.x]\nport=1\ntls={certificate='/dev/null'}\n", 3, "listener.x.tls: has no key"},
        {"[listener.x]\nport=1\ntls={key='/dev/null'}\n", 3, "has no certificate"},
        {"[listener.x]\nport=1\ntls={certificate='/dev/null',key='/nowhere/k'}\n", 3,
         "listener.x.tls.key: /nowhere/k: No such file or directory"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ntls={authority='/nowhere/a'}\n", 4,
         "connector.x.tls.authority: /nowhere/a: No such file"},
        {"[listener.x]\nport=1\ntls={certificate='',key='/dev/null'}\n", 3,
         "listener.x.tls.certificate: is empty"},
        {"[listener.x]\nport=1\ntls={certificate='/dev/null',key='/dev/null',client_ca=''}\n", 3,
         "listener.x.tls.client_ca: is empty"},
        {"[connector.x]\nhost='h'\nsystem_id='x'\ntls={authority=''}\n", 4,
         "connector.x.tls.authority: is empty"},
        {"[admin]\ntoken_file='/nowhere/t'\n", 2, "/nowhere/t: No such file"},
        {"[admin]\ntoken_file='/dev/null'\n", 2, "its first line is empty"},
        {"\n[admin]\nhost='0.0.0.0'\n", 3, "a token is required"},
        {"[admin]\nhost='192.0.2.1'\n", 2, "is reachable from other machines"},
    });
}

TEST(ConfigMistakes, AreNamesOfNobody) {
    expectMistakes({
        {"[group.x]\nmembers=['one',\n 'tow']\n", 3,
         "unknown connector 'tow'; did you mean 'two'?"},
        {"[[route]]\nconnector='three'\n", 2, "route.connector: unknown connector 'three'"},
        {"[[route]]\ngroup='one'\n", 2, "route.group: unknown group 'one'"},
        {"[[route]]\nreject='8'\naccounts=['alise']\n", 3, "did you mean 'alice'?"},
        {"[[mo]]\naccount='nobody'\n", 2, "mo.account: unknown account 'nobody'"},
        {"[[mo]]\naccount='alice'\nconnectors=['on']\n", 3, "did you mean 'one'?"},
    });
}

TEST(ConfigMistakes, AreContradictions) {
    expectMistakes({
        {"[account.x]\npassword='x'\npassword_hash='$y$j75$oiuDAnxfYO09h34AbuYKl0$"
         "aD8pTlHjQ1Jm4SCxE0h.KEBWSQGXZv30nH9h8rnjD07'\n",
         3, "cannot be combined with password"},
        {"[account.x]\npassword_hash='secret1'\n", 2, "is not a complete crypt(3) hash"},
        {"[account.x]\npassword='12345678901234567890123456789012345678901234567890123456789012345'"
         "\n",
         2, "longer than 64 octets"},
        {"[numbers]\ncountry_code='+41'\n", 2, "'+41' is not digits only"},
        {"[account.x]\npassword='x'\nbind_types=[]\n", 3, "allows no bind type"},
        {"[account.x]\npassword='x'\nbind_types=['trx']\n", 3, "'trx' is not one of transmitter"},
        {"[account.x]\npassword='x'\nnumbers='5'\n[account.w]\npassword='x'\nnumbers='5'\n", 1,
         "account.x.numbers: account.w has '5'"},
        {"[listener.x]\nport=2770\n", 1, "listener.x: listener.rest has 127.0.0.1:2770"},
        {"[connector.x]\nsystem_id='x'\noutbind_listen='[::]:1'\nhost='h'\n", 4,
         "'h' is not an address or CIDR block"},
        {"[connector.x]\nsystem_id='x'\noutbind_listen='[::]:1'\ntls=true\n", 4,
         "connector.x.tls: needs server_name"},
        {"[connector.x]\nsystem_id='x'\noutbind_listen='[::]:1'\ntransmitters=1\n", 4,
         "connector.x.transmitters: after an outbind"},
        {"[connector.x]\nsystem_id='x'\noutbind_listen='127.0.0.1:2770'\n", 1,
         "connector.x: listener.rest has 127.0.0.1:2770"},
        {"[listener.x]\nhost='0.0.0.0'\nport=2770\n", 1,
         "listener.x: listener.rest has 127.0.0.1:2770"},
        {"[admin]\nport=2770\n", 1, "admin: listener.rest has 127.0.0.1:2770"},
        {"[account.x]\npassword='x'\nsources=[]\n", 3, "permits no address"},
        {"[account.x]\npassword='x'\ndestinations=[]\n", 3, "permits no address"},
        {"[group.x]\nmembers=['one']\ntiers=[['one']]\n", 3, "cannot be combined with members"},
        {"[group.x]\ntiers=[['one'],\n ['two', 'one']]\n", 3, "'one' is listed twice"},
        {"\n[[route]]\nconnector='one'\nreject='8'\n", 2, "more than one of connector, group"},
        {"[[route]]\nreject='8'\nrewrite_source={add_prefix='1'}\n", 3, "is never used"},
        {"[[route]]\nconnector='one'\nrewrite_source={add_prefix='1',replace_by='2'}\n", 3,
         "route.rewrite_source.replace_by: would leave an empty address"},
        {"[admin]\ntoken='x'\ntoken_file='/proc/self/comm'\n", 3, "cannot be combined with token"},
    });
}

TEST(ConfigMistakes, IsNoneThatPortsAreTheSameOnOtherAddresses) {
    const ConfigReading reading = readConfig(
        "[listener.x]\nport=1\n[listener.y]\nhost='127.0.0.2'\nport=1\n"
        "[listener.z]\nhost='::'\nport=1\n[listener.f]\nport=0\n"
        "[listener.g]\nport=0\n[admin]\nenabled=false\nport=1\n",
        {});
    EXPECT_TRUE(reading.config) << mistakesOf(reading);
}

TEST(ConfigMistakes, IsNoneThatAnSmscCallsWhereOnlyAllAddressesAreTaken) {
    const ConfigReading reading = readConfig(
        "[listener.x]\nport=1\n[connector.c]\nhost='127.0.0.1'\nsystem_id='x'\n"
        "outbind_listen='0.0.0.0:1'\n",
        {});
    EXPECT_TRUE(reading.config) << mistakesOf(reading);
    EXPECT_THAT(reading.warnings,
                testing::Contains(HasSubstr("connector.c: listener.x has 127.0.0.1:1")));
}

TEST(ConfigMistakes, IsNoneThatAConnectorIsTheOnlyOneOfItsSmsc) {
    const std::string rest = "host='127.0.0.1'\nsystem_id='x'\n";
    const ConfigReading reading =
        readConfig("[listener.x]\nport=1\n[connector.a]\nsmsc='one'\n" + rest +
                       "[connector.b]\nsmsc='one'\n" + rest + "[connector.c]\nsmsc='on'\n" + rest,
                   {});
    EXPECT_TRUE(reading.config) << mistakesOf(reading);
    EXPECT_THAT(reading.warnings,
                testing::Contains(HasSubstr("connector.c.smsc: no other connector has 'on'")));
    EXPECT_THAT(reading.warnings, testing::Not(testing::Contains(HasSubstr("'one'"))));
}

TEST(ConfigMistakes, IsNoneThatAnSmscOfVersion33IsBoundToAsATransceiver) {
    const std::string old = "[connector.x]\nhost='h'\nsystem_id='x'\ninterface_version='3.3'\n";
    const auto warned = HasSubstr("connector.x.transceivers: SMPP 3.3 has no transceivers");
    for (const char* binds : {"", "transceivers=2\nreceivers=1\n"}) {
        const ConfigReading reading = readConfig(old + binds + rest, {});
        EXPECT_TRUE(reading.config) << mistakesOf(reading);
        EXPECT_THAT(reading.warnings, testing::Contains(warned));
    }
    EXPECT_THAT(readConfig(old + "transmitters=1\nreceivers=1\n" + rest, {}).warnings,
                testing::Not(testing::Contains(warned)));
}

TEST(ConfigMistakes, AreTooManyConnectors) {
    std::string toml = "[listener.x]\nport=1\n";
    for (int i = 0; i <= 1024; ++i) {
        toml += "[connector.c" + std::to_string(i) + "]\nhost='h'\nport=1\nsystem_id='x'\n";
    }
    EXPECT_EQ(mistakesOf(readConfig(toml, {})),
              "f: too many connectors: 1025; the maximum is 1024\n");
}

TEST(ConfigMistakes, IsThatThereIsNoListener) {
    EXPECT_EQ(mistakesOf(readConfig("", {})), "f: no [listener.NAME] is configured\n");
}

TEST(ConfigMistakes, AreAllSaidAtOnceInTheOrderOfTheirLines) {
    const char* const toml = R"([[route]]
connector = "nowhere"
[router]
thread = 1
selector = "x"
[account.x]
window = 0
[timers]
response = "x"
)";
    EXPECT_EQ(
        mistakesOf(readConfig(std::string(toml) + rest, {})),
        "f:2: route.connector: unknown connector 'nowhere'\n"
        "f:4: unknown key 'router.thread'; did you mean 'threads'?\n"
        "f:5: router.selector: 'x' is not one of auto, epoll, poll, select, uring\n"
        "f:6: account.x: has neither password nor password_hash\n"
        "f:7: account.x.window: 0 is out of range: 1 to 100000\n"
        "f:9: timers.response: 'x' is not a time up to 100 years, such as \"500ms\", \"10s\" or "
        "\"7d\"\n");
}

TEST(ConfigMistakes, AreOneLineEachWhateverTheFileHolds) {
    for (const char* toml :
         {"x = tru\n", "x = 'y\n", "\"a\\nb\" = 1\n", "\"\\u001B[2J\" = 1\n",
          "[router]\nselector = \"\\n\"\n", "[router]\nselector = \"\\u001B\"\n"}) {
        const ConfigReading reading = readConfig(std::string(toml) + rest, {});
        ASSERT_EQ(reading.mistakes.size(), 1u) << mistakesOf(reading);
        for (const char c : reading.mistakes[0].what) EXPECT_GE(c, ' ') << toml;
    }
}

TEST(ConfigMistakes, DoNotQuoteSecrets) {
    for (const char* toml :
         {"[account.x]\npassword='topsecret99"
          "12345678901234567890123456789012345678901234567890123456789012345'\n",
          "[account.x]\npassword_hash='topsecret99'\n", "[account.x]\npassword=['topsecret99']\n",
          "[admin]\ntoken='topsecret99 x'\n",
          "[connector.x]\nhost='h'\nsystem_id='x'\npassword='topsecret99"
          "12345678901234567890123456789012345678901234567890123456789012345'\n"}) {
        const std::string said = mistakesOf(readConfig(std::string(toml) + rest, {}));
        EXPECT_NE(said, "") << toml;
        EXPECT_THAT(said, testing::Not(HasSubstr("topsecret"))) << toml;
    }
}

}  // namespace
}  // namespace router
