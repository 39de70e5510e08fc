#include "base/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "base/config.h"
#include "base/file.h"
#include "base/json.h"

namespace frit {
namespace {

using ::testing::ElementsAre;

class Events : public ::testing::Test {
 protected:
  void SetUp() override {
    set_logs("");
    set_log_writer([this](std::string_view line) { printed += line; });
  }
  void TearDown() override {
    set_logs("");
    set_log_writer(nullptr);
  }
  std::string printed;
};

TEST_F(Events, PrintsOnlyEnabledChannels) {
  set_logs("graph, recompiles");
  EXPECT_TRUE(log_enabled(Channel::graph));
  EXPECT_TRUE(log_enabled(Channel::recompiles));
  EXPECT_FALSE(log_enabled(Channel::guards));
  emit({.channel = Channel::guards, .name = "step", .text = "x is f32"});
  emit({.channel = Channel::recompiles, .name = "step", .text = "guard failed", .ms = 1.25});
  emit({.channel = Channel::graph, .name = "forward", .text = "a\nb\n"});
  emit({.channel = Channel::graph, .name = "empty"});
  EXPECT_EQ(printed,
            "[recompiles] step: guard failed  (1.25 ms)\n"
            "[graph] forward\na\nb\n"
            "[graph] empty\n");
  set_logs("all");
  for (int i = 0; i < kChannelCount; ++i) EXPECT_TRUE(log_enabled(static_cast<Channel>(i)));
}

TEST_F(Events, PlaceAndTime) {
  SourceLocation where;
  where.file = "/home/me/net.cpp";
  where.line = 14;
  EXPECT_EQ(format_event({.channel = Channel::cache, .text = "hit", .where = where}),
            "[cache] hit  (net.cpp:14)\n");
  EXPECT_EQ(format_event({.channel = Channel::cache, .text = "hit", .where = where, .ms = 0.5}),
            "[cache] hit  (net.cpp:14, 0.5 ms)\n");
}

TEST_F(Events, NamesAreKnown) {
  for (int i = 0; i < kChannelCount; ++i) {
    Channel c = static_cast<Channel>(i);
    EXPECT_EQ(channel_named(channel_name(c)), c);
    EXPECT_NE(std::string(channel_meaning(c)), "");
  }
  EXPECT_EQ(channel_named("grap"), std::nullopt);
  try {
    set_logs("graph,grap");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(std::string(e.what()),
              "[set_logs] unknown log channel: grap.\n  try: one or more of all, graph, guards, "
              "graph_breaks, recompiles, output_code, aot_graphs, passes, fusion, schedule, cache, "
              "dynamic, perf_hints");
  }
}

TEST_F(Events, SubscribersHearTheirChannels) {
  std::vector<std::string> heard;
  {
    auto s =
        subscribe([&](const Event& e) { heard.push_back(e.name); }, channel_bit(Channel::fusion));
    EXPECT_TRUE(log_enabled(Channel::fusion));
    EXPECT_FALSE(log_enabled(Channel::graph));
    emit({.channel = Channel::fusion, .name = "one"});
    emit({.channel = Channel::graph, .name = "two"});
  }
  EXPECT_FALSE(log_enabled(Channel::fusion));
  emit({.channel = Channel::fusion, .name = "three"});
  EXPECT_THAT(heard, ElementsAre("one"));
  EXPECT_EQ(printed, "");
}

TEST_F(Events, DataIsMadeOnlyForThoseWhoAsk) {
  int made = 0;
  std::string seen;
  auto plain = subscribe([](const Event&) {});
  Event event{.channel = Channel::graph, .name = "g"};
  event.data = [&] {
    ++made;
    return Json{{"nodes", 3}};
  };
  emit(event);
  EXPECT_EQ(made, 0);
  auto asking = subscribe([&](const Event& e) { seen = e.data().dump(); });
  emit(event);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(seen, "{\"nodes\":3}");
}

TEST_F(Events, AListenersFaultIsANotice) {
  ::testing::internal::CaptureStderr();
  bool later = false;
  auto bad = subscribe([](const Event&) { throw std::runtime_error("disk full"); });
  auto good = subscribe([&](const Event&) { later = true; });
  emit({.channel = Channel::graph});
  emit({.channel = Channel::graph});
  EXPECT_TRUE(later);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "frit: a listener for events failed: disk full\n");
}

TEST_F(Events, ASubscriberMayEndItselfAndEmit) {
  Subscription own;
  int calls = 0;
  own = subscribe(
      [&](const Event&) {
        ++calls;
        emit({.channel = Channel::cache, .name = "inner"});
        own.reset();
      },
      channel_bit(Channel::graph));
  emit({.channel = Channel::graph});
  emit({.channel = Channel::graph});
  EXPECT_EQ(calls, 1);
}

TEST_F(Events, FromManyThreads) {
  int count = 0;  // calls for one subscriber never overlap
  std::vector<std::thread> threads;
  {
    auto s = subscribe([&](const Event&) { ++count; });
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int k = 0; k < 500; ++k) {
          auto other = subscribe([](const Event&) {}, channel_bit(Channel::cache));
          emit({.channel = Channel::graph});
        }
      });
    for (auto& t : threads) t.join();
  }
  EXPECT_EQ(count, 2000);
}

// A fresh process, as FRIT_LOGS is read once.
TEST(EventsVariable, DISABLED_EmitOne) {
  emit({.channel = Channel::graph, .name = "g", .text = "here"});
  emit({.channel = Channel::cache, .name = "c", .text = "not here"});
}

std::string stderr_with_logs(const char* value) {
  int ends[2];
  if (pipe(ends)) return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(1);
    setenv("FRIT_LOGS", value, 1);
    execl("/proc/self/exe", "test_base", "--gtest_filter=EventsVariable.DISABLED_EmitOne",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(1);
  }
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return out;
}

// Every line is an event, and the whole is JSON once it is closed.
TEST(EventsVariable, TraceIsChromes) {
  TempDir dir;
  pid_t child = fork();
  if (child == 0) {
    setenv("FRIT_TRACE", (dir / "new/folder").c_str(), 1);
    execl("/proc/self/exe", "test_base", "--gtest_filter=EventsVariable.DISABLED_EmitTraced",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(1);
  }
  waitpid(child, nullptr, 0);
  std::string text = read_file(dir / ("new/folder/trace-" + std::to_string(child) + ".json"));
  ASSERT_TRUE(text.ends_with(",\n"));
  Json all = Json::parse(text.substr(0, text.size() - 2) + "]");
  ASSERT_EQ(all.size(), 2u);
  const Json &timed = all[0], &plain = all[1];
  EXPECT_EQ(timed["name"], "cse");
  EXPECT_EQ(timed["cat"], "passes");
  EXPECT_EQ(timed["ph"], "X");
  EXPECT_DOUBLE_EQ(timed["dur"].get<double>(), 1500);
  EXPECT_EQ(timed["pid"], child);
  EXPECT_EQ(timed["args"]["data"]["nodes"], 3);
  EXPECT_TRUE(timed["args"]["where"].get<std::string>().starts_with("event_test.cpp:"));
  EXPECT_EQ(plain["ph"], "i");
  EXPECT_EQ(plain["args"]["text"], "a \"text\"\nof two lines");
  EXPECT_GE(plain["ts"].get<double>(), timed["ts"].get<double>() + 1500);
}
TEST(EventsVariable, DISABLED_EmitTraced) {
  emit({.channel = Channel::passes,
        .name = "cse",
        .data = [] { return Json{{"nodes", 3}}; },
        .where = std::source_location::current(),
        .ms = 1.5});
  emit({.channel = Channel::graph, .name = "g", .text = "a \"text\"\nof two lines"});
}

TEST(EventsVariable, IsReadOnceAndUnknownNamesAreNoticed) {
  EXPECT_EQ(stderr_with_logs("graph"), "[graph] g: here\n");
  EXPECT_EQ(stderr_with_logs(""), "");
  EXPECT_EQ(stderr_with_logs("grahp,graph"),
            "frit: FRIT_LOGS: unknown: grahp; known: all, graph, guards, graph_breaks, recompiles, "
            "output_code, aot_graphs, passes, fusion, schedule, cache, dynamic, perf_hints\n"
            "[graph] g: here\n");
}

}  // namespace
}  // namespace frit
