// Where the results of echo-client can go.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

class Outputs : public testing::Test {
  protected:
    Outputs() { std::filesystem::create_directories(folder_); }
    ~Outputs() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return folder_ + name; }
    std::string content(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    OddServer server_{echo};

  private:
    const std::string folder_ = testing::TempDir() + "echo-client-outputs-" + server_.port() + "/";
};

TEST_F(Outputs, AreWrittenAllAtOnce) {
    Process run(client({"--port", server_.port(), "--rate", "1k", "--json", path("j"),
                        "--json-lines", path("l"), "--csv", path("c"), "--html", path("h"),
                        "--hgrm", path("g"), "--keep-bad", path("b")}));
    EXPECT_THAT(run.wait(), testing::AnyOf(0, 5)) << run.errors();
    EXPECT_THAT(run.output(), HasSubstr("echoes/s"));
    const json report = json::parse(content("j"));
    EXPECT_THAT(report["exitCode"], testing::AnyOf(0, 5));
    EXPECT_EQ(report["seed"], 1);
    EXPECT_FALSE(report["host"]["kernel"].get<std::string>().empty());
    EXPECT_GE(report["commandLine"].size(), 10u);
    EXPECT_THAT(content("c"), StartsWith("seconds,"));
    EXPECT_THAT(content("h"), HasSubstr("<svg"));
    EXPECT_THAT(content("g"), HasSubstr("1/(1-Percentile)"));
    std::uint64_t counted = 0;
    for (const json& bucket : report["histogram"]["buckets"]) counted += bucket[1].get<unsigned>();
    EXPECT_EQ(counted, report["echoes"]);
}

TEST_F(Outputs, LeaveNoWrongAnswerWhereThereWasNone) {
    std::ofstream(path("earlier")) << "connection 1, message 2: an earlier run's";
    std::filesystem::create_symlink("/dev/null", path("device"));
    for (const char* name : {"earlier", "new", "device"}) {
        Process run(client({"--port", server_.port(), "--keep-bad", path(name)}));
        EXPECT_EQ(run.wait(), 0) << run.errors();
    }
    EXPECT_TRUE(std::filesystem::exists(path("earlier")));
    EXPECT_EQ(content("earlier"), "");
    EXPECT_FALSE(std::filesystem::exists(path("new")));
    EXPECT_TRUE(std::filesystem::is_symlink(path("device")));
}

TEST_F(Outputs, EmptyTheWrongAnswerThatALinkLeadsTo) {
    std::ofstream(path("real")) << "connection 1, message 2: an earlier run's";
    std::filesystem::create_symlink("real", path("link"));
    Process run(client({"--port", server_.port(), "--keep-bad", path("link")}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(content("real"), "");
}

TEST_F(Outputs, ThatAreOneFileAreAMistakeBeforeTheLoad) {
    std::ofstream(path("real")) << "";
    std::filesystem::create_symlink("real", path("link"));
    std::filesystem::create_symlink("nothing yet", path("dangling"));
    std::filesystem::create_hard_link(path("real"), path("hard"));
    const std::pair<std::string, std::string> same[] = {
        {"real", "./real"}, {"real", "link"}, {"dangling", "nothing yet"}, {"real", "hard"}};
    for (const auto& [json, csv] : same) {
        Process run(client({"--port", server_.port(), "--json", path(json), "--csv", path(csv)}));
        EXPECT_EQ(run.wait(), 2) << csv;
        EXPECT_THAT(run.errors(), HasSubstr(": --json writes to the same file")) << csv;
    }
    EXPECT_TRUE(server_.peers().empty());
}

TEST_F(Outputs, LeaveNoEmptyFileWhereTheServerIsNotFound) {
    Process run(client({"--host", "no-such.invalid", "--json", path("new.json")}));
    EXPECT_NE(run.wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(path("new.json")));
}

TEST_F(Outputs, OneOfThemMayTakeStandardOutput) {
    for (const char* option : {"--json", "--csv", "--html", "--hgrm"}) {
        Process run(client({"--port", server_.port(), option, "-"}));
        EXPECT_EQ(run.wait(), 0) << option << run.errors();
        EXPECT_THAT(run.output(), testing::Not(IsEmpty())) << option;
        EXPECT_THAT(run.output(), testing::Not(HasSubstr("\nMB/s "))) << option;
    }
}

TEST_F(Outputs, ThatCannotBeWrittenAreAMistakeBeforeTheLoad) {
    for (const char* option :
         {"--json", "--json-lines", "--csv", "--html", "--hgrm", "--keep-bad"}) {
        Process run(client({"--port", server_.port(), option, path("no/such/folder")}));
        EXPECT_EQ(run.wait(), 2) << option;
        EXPECT_THAT(run.errors(),
                    HasSubstr(": cannot open it for writing: No such file or directory\n"))
            << option;
    }
    EXPECT_TRUE(server_.peers().empty());
}

TEST_F(Outputs, GoToTheReaderOfAFifo) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    for (const char* option : {"--json", "--csv", "--json-lines", "--html", "--hgrm"}) {
        // Not to a pipe: what fills it would wait for this test, which waits for the client.
        Process reader({"sh", "-c", "cat \"$0\" > \"$1\"", path("fifo"), path("read")});
        Process run(client({"--port", server_.port(), "--warmup", "0", option, path("fifo")}));
        EXPECT_EQ(run.wait(), 0) << option << run.errors();
        EXPECT_EQ(reader.wait(), 0);
        EXPECT_THAT(content("read"), testing::EndsWith("\n")) << option;
    }
}

TEST_F(Outputs, GoToAPipeThatAShellHasMade) {
    Process run({"bash", "-c",
                 "exec \"$0\" --quiet --port " + server_.port() +
                     " --duration 0.2 --warmup 0 --json >(cat >&2)",
                 bin("echo-client")});
    EXPECT_EQ(run.wait(), 0);
    EXPECT_THAT(run.output(), HasSubstr("echoes/s"));
    std::string text;
    for (std::string line; !(line = run.readErrorLine()).empty();) text += line + "\n";
    EXPECT_EQ(json::parse(text)["exitCode"], 0);
}

TEST_F(Outputs, ToAFifoThatNobodyReadsAreAMistake) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    Process run(client({"--port", server_.port(), "--json", path("fifo")}));
    EXPECT_EQ(run.wait(), 2);
    EXPECT_EQ(run.errors(), "echo-client: --json " + path("fifo") +
                                ": cannot open it for writing: the FIFO has no reader\n");
}

TEST_F(Outputs, ThatLeadToStandardOutputTakeThePlaceOfTheText) {
    Process run(client({"--port", server_.port(), "--json", "/dev/stdout"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_EQ(json::parse(run.output())["exitCode"], 0);
    Process both(client({"--port", server_.port(), "--json", "/dev/stdout", "--csv", "/dev/fd/1"}));
    EXPECT_EQ(both.wait(), 2);
    EXPECT_THAT(both.errors(), HasSubstr("--csv /dev/fd/1: --json writes to the same file"));
}

TEST_F(Outputs, ToStandardErrorLeaveTheTextWhereBothAreOnePipe) {
    for (const char* name : {"/dev/stderr", "/dev/fd/2"}) {
        Process run({"bash", "-c",
                     "exec \"$0\" --quiet --port " + server_.port() +
                         " --duration 0.2 --warmup 0 --json " + name + " 2>&1",
                     bin("echo-client")});
        EXPECT_EQ(run.wait(), 0) << run.output();
        const std::string both = run.output();
        EXPECT_THAT(both, HasSubstr("echoes/s")) << name;
        EXPECT_EQ(json::parse(both.substr(both.find("\n{") + 1))["exitCode"], 0) << name;
    }
}

TEST_F(Outputs, MayAllBeThrownAway) {
    Process run(client({"--port", server_.port(), "--json", "/dev/null", "--csv", "/dev/null"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
}

TEST_F(Outputs, AreUtf8ThoughAPathIsNot) {
    const std::string odd = path("j\xff");
    Process run(client({"--port", server_.port(), "--json", odd, "--html", path("h")}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_TRUE(json::accept(content("j\xff")));
    EXPECT_THAT(content("h"), HasSubstr("j\ufffd"));
    EXPECT_THAT(content("h"), testing::Not(HasSubstr("\xff")));
}

TEST_F(Outputs, ThatAreFullAreReported) {
    Process run(client({"--port", server_.port(), "--json", "/dev/full"}));
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.errors(), "echo-client: cannot write the report\n");
}

TEST_F(Outputs, FullOutputsAreReportedBesidesAMissedRequirement) {
    Process run(client({"--port", server_.port(), "--require", "p50<1ns", "--json", "/dev/full"}));
    EXPECT_EQ(run.wait(), 1);
    EXPECT_THAT(run.errors(), MatchesRegex("echo-client: requirement missed: p50<1ns [^\n]+\n"
                                           "echo-client: cannot write the report\n"));
}

TEST_F(Outputs, ThatAreFullAreNoGraverThanAWrongAnswer) {
    OddServer wrong([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        nio::Bytes copy = nio::copyOf(bytes);
        copy.back() ^= nio::Byte{0x10};
        connection.send(copy);
    });
    for (const Arguments& kind : {Arguments{}, Arguments{"--misbehave", "one-byte"}}) {
        Process run(Arguments{bin("echo-client"), "--quiet", "--port", wrong.port(), "--duration",
                              "0.2", "--connections", "2", "--json", "/dev/full"} +
                    kind);
        EXPECT_EQ(run.wait(), 3);
        EXPECT_THAT(run.errors(), MatchesRegex("echo-client: wrong answer: [^\n]+\n"
                                               "echo-client: cannot write the report\n"));
    }
}

TEST_F(Outputs, HaveALineForALoadOfLessThanASecond) {
    Process run(client({"--port", server_.port(), "--warmup", "0", "--json", path("j"),
                        "--json-lines", path("l")}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    std::uint64_t echoes = 0;
    std::istringstream lines(content("l"));
    for (std::string line; std::getline(lines, line);) {
        echoes += json::parse(line)["echoes"].get<std::uint64_t>();
    }
    const json report = json::parse(content("j"));
    EXPECT_GT(report["echoes"], 0);
    EXPECT_GE(echoes, report["echoes"].get<std::uint64_t>());
}

TEST_F(Outputs, NothingIsComparedWithWhatIsNoResult) {
    std::ofstream(path("x")) << "{}";
    Process run(client({"--port", server_.port(), "--html", path("h"), "--compare", path("x")}));
    EXPECT_EQ(run.wait(), 2);
    EXPECT_THAT(run.errors(), HasSubstr("--compare "));
}

TEST_F(Outputs, AreComparedInTheTerminal) {
    Process first(client({"--port", server_.port(), "--json", path("a")}));
    EXPECT_EQ(first.wait(), 0) << first.errors();
    Process second(client({"--port", server_.port(), "--json", path("b"), "--html", path("h"),
                           "--compare", path("a"), "--require", "rate>=before-99.9%"}));
    EXPECT_EQ(second.wait(), 0) << second.errors();
    EXPECT_THAT(second.output(), HasSubstr("\n              before     now        change\n"));
    EXPECT_THAT(second.output(), HasSubstr("rate>=before-99.9%  met"));
    EXPECT_THAT(content("h"), HasSubstr("<h2>Differences</h2>"));
    const std::size_t peers = server_.peers().size();
    Process both({bin("echo-client"), "--compare", path("a"), path("b"), "--require", "errors=0"});
    EXPECT_EQ(both.wait(), 0) << both.errors();
    EXPECT_THAT(both.output(), testing::MatchesRegex("compared .*\nnote .*required .* met .*"));
    Process gate({bin("echo-client"), "--compare", path("a"), path("b"), "--require", "p50<1ns"});
    EXPECT_EQ(gate.wait(), 4);
    EXPECT_THAT(gate.errors(), StartsWith("echo-client: requirement missed: p50<1ns ("));
    EXPECT_EQ(server_.peers().size(), peers) << "there was no run";
}

TEST_F(Outputs, AreNotComparedWithAFileThatIsMissing) {
    Process run({bin("echo-client"), "--compare", path("a"), path("b")});
    EXPECT_EQ(run.wait(), 2);
    EXPECT_EQ(run.errors(),
              "echo-client: --compare " + path("a") + ": No such file or directory\n");
}

TEST_F(Outputs, AreComparedWithFewDescriptors) {
    Process run({"sh", "-c",
                 "ulimit -n 40; exec " + bin("echo-client") + " --compare " + path("a") + " b"});
    EXPECT_EQ(run.wait(), 2);
    EXPECT_THAT(run.errors(), HasSubstr("No such file or directory")) << "there is no load";
}

TEST_F(Outputs, OverwriteTheirBaselineOnlyAsAnotherRun) {
    Process first(client({"--port", server_.port(), "--json", path("run")}));
    EXPECT_EQ(first.wait(), 0) << first.errors();
    const std::string before = content("run");
    Process page(
        client({"--port", server_.port(), "--html", path("run"), "--compare", path("run")}));
    EXPECT_EQ(page.wait(), 2);
    EXPECT_EQ(page.errors(),
              "echo-client: --html would overwrite the file of --compare " + path("run") + "\n");
    EXPECT_EQ(content("run"), before);
    Process again(client({"--port", server_.port(), "--json", path("run"), "--html", path("page"),
                          "--compare", path("run")}));
    EXPECT_EQ(again.wait(), 0) << again.errors();
    EXPECT_NE(content("run"), before);
}

TEST_F(Outputs, KeepWhatAFileHeldUntilThereIsAReport) {
    std::ofstream(path("j")) << "earlier";
    Process run({bin("echo-client"), "--host", "no-such-name.invalid", "--json", path("j")});
    EXPECT_EQ(run.wait(), 2);
    EXPECT_EQ(content("j"), "earlier");
}

TEST_F(Outputs, KeepTheLinesOfAnEarlierLoadUntilThereAreOthers) {
    std::ofstream(path("l")) << "earlier";
    // It takes connections, but is no agent: no load begins.
    Process without(client({"--port", server_.port(), "--agents", "127.0.0.1:" + server_.port(),
                            "--token", "secret", "--json-lines", path("l")}));
    EXPECT_EQ(without.wait(), 1);
    EXPECT_EQ(content("l"), "earlier");
    Process load(client({"--port", server_.port(), "--json-lines", path("l")}));
    EXPECT_EQ(load.wait(), 0) << load.errors();
    EXPECT_THAT(content("l"), StartsWith("{"));
}

}  // namespace
