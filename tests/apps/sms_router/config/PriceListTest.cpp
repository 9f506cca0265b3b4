#include "sms_router/config/PriceList.h"

#include <algorithm>
#include <fstream>

#include "ConfigTesting.h"
#include "nio/sys/KernelTesting.h"

namespace router {
namespace {

using namespace router::configtesting;

const std::string twoConnectors =
    "[connector.a]\nhost = \"a\"\nsystem_id = \"one\"\n"
    "[connector.b]\nhost = \"b\"\nsystem_id = \"two\"\n[[route]]\nconnector = \"a\"\n";

class PriceListTest : public ::testing::Test {
  protected:
    ConfigReading readPrices(const std::string& text) {
        std::ofstream(folder_.file("prices.csv")) << text;
        return readConfig(twoConnectors + "[router]\nprice_list = \"" + folder_.file("prices.csv") +
                              "\"\n" + more_ + rest,
                          {});
    }
    // Without the name of the file.
    std::vector<std::string> mistakesIn(const std::string& text) {
        std::vector<std::string> mistakes;
        for (const ConfigMistake& each : readPrices(text).mistakes) {
            mistakes.push_back(each.what.substr(each.what.find("prices.csv")));
        }
        return mistakes;
    }

    nio::kerneltest::TemporaryFolder folder_;
    std::string more_;
};

TEST_F(PriceListTest, FindsTheLongestPrefix) {
    PriceList prices;
    EXPECT_TRUE(prices.add("41", 3));
    EXPECT_TRUE(prices.add("4179", 2));
    EXPECT_FALSE(prices.add("41", 5));
    EXPECT_EQ(prices.find("41791")->price, 2);
    EXPECT_EQ(prices.find("+41781")->price, 3);
    EXPECT_EQ(prices.find("+41781")->prefix, "41");
    EXPECT_FALSE(prices.find("49"));
    EXPECT_FALSE(prices.find("INFO"));
    EXPECT_FALSE(prices.find(""));
    EXPECT_TRUE(prices.add("", 9));
    EXPECT_EQ(prices.find("INFO")->price, 9);
    EXPECT_EQ(prices.find("41x9")->price, 3);
}

TEST_F(PriceListTest, IsReadWithTheConfiguration) {
    const ConfigReading reading =
        readPrices("prefix,connector,price\r\n# Switzerland\n+41, a, 0.05\r\n\n4179,b,0.02\n,b,1");
    ASSERT_EQ(mistakesOf(reading), "");
    const auto& connectors = reading.config->connectors;
    EXPECT_EQ(connectors[0].priceOf("41791").price, 0.05);
    EXPECT_EQ(connectors[0].priceOf("49").price, 1) << "its cost";
    EXPECT_EQ(connectors[1].priceOf("41791").price, 0.02);
    EXPECT_EQ(connectors[1].priceOf("49").price, 1);
}

TEST_F(PriceListTest, MayHaveAHeadAsSpreadsheetsWriteIt) {
    for (const char* head : {"Prefix,Connector,Price\r\n", "prefix, connector, price\n",
                             "PREFIX,\tCONNECTOR ,PRICE\n", "\xEF\xBB\xBFprefix,connector,price\n",
                             "\xEF\xBB\xBF", "# ours\n\nprefix,connector,price\n"}) {
        const ConfigReading reading = readPrices(std::string(head) + "41,a,0.05\n");
        EXPECT_EQ(mistakesOf(reading), "") << head;
        ASSERT_TRUE(reading.config) << head;
        EXPECT_EQ(reading.config->connectors[0].priceOf("41").price, 0.05) << head;
    }
    EXPECT_EQ(mistakesIn("41,a,1\nprefix,connector,price"),
              std::vector<std::string>{"prices.csv:2: 'prefix' is not a prefix"});
}

TEST_F(PriceListTest, WithoutPricesIsWarnedAbout) {
    for (const char* text : {"", "# none yet\n", "prefix,connector,price\n"}) {
        const ConfigReading reading = readPrices(text);
        EXPECT_EQ(mistakesOf(reading), "");
        EXPECT_EQ(std::ranges::count_if(reading.warnings,
                                        [](const std::string& warning) {
                                            return warning.ends_with("prices.csv has no prices");
                                        }),
                  1)
            << text;
    }
}

TEST_F(PriceListTest, MayHaveTheInternationalPrefix) {
    const ConfigReading reading = readPrices("0041,a,0.05\n+0044,a,2\n079,a,3\n41,b,4");
    ASSERT_EQ(mistakesOf(reading), "");
    const ConnectorConfig& a = reading.config->connectors[0];
    EXPECT_EQ(a.priceOf("4179").price, 0.05);
    EXPECT_EQ(a.priceOf("4477").price, 2);
    EXPECT_EQ(a.priceOf("079123").price, 3) << "nobody knows the country";
    EXPECT_EQ(mistakesIn("41,a,1\n0041,a,2"),
              std::vector<std::string>{"prices.csv:2: prefix '41' has a price for 'a' already"});
}

TEST_F(PriceListTest, IsInternationalWhereTheCountryIsKnown) {
    more_ = "[numbers]\ncountry_code = \"41\"\n";
    EXPECT_EQ(mistakesIn("079,a,1\n0044,a,1"),
              std::vector<std::string>{"prices.csv:1: '079' is not a prefix"});
}

TEST_F(PriceListTest, NamesEachMistakeWithItsLine) {
    EXPECT_EQ(mistakesIn("41,a,1\n41,a,2\n4x,a,1\n41,c,1\n41,b,-1\n41,b\n41,b,1,2\n41,b,nan"),
              (std::vector<std::string>{"prices.csv:2: prefix '41' has a price for 'a' already",
                                        "prices.csv:3: '4x' is not a prefix",
                                        "prices.csv:4: 'c' is not a connector",
                                        "prices.csv:5: '-1' is not a price",
                                        "prices.csv:6: '41,b' is not prefix,connector,price",
                                        "prices.csv:7: '41,b,1,2' is not prefix,connector,price",
                                        "prices.csv:8: 'nan' is not a price"}));
}

TEST_F(PriceListTest, ThatIsMissingIsAMistake) {
    const ConfigReading reading =
        readConfig(twoConnectors + "[router]\nprice_list = \"/nowhere/prices.csv\"\n" + rest, {});
    EXPECT_EQ(mistakesOf(reading),
              "f: router.price_list: /nowhere/prices.csv: No such file or directory\n");
}

}  // namespace
}  // namespace router
