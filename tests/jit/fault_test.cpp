// A compiler that crashes, gives up or hangs is a status and a text.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <csetjmp>

#include "base/error.h"
#include "harness.h"

namespace frit::jit {
namespace {

using testing::HasSubstr;

CompileRequest fault(const std::string& what) {
  auto request =
      request_of({"extern \"C\" int f() { return 1; }\n#pragma frit_test " + what + "\n"});
  request.test_hooks = true;
  return request;
}

class Fault : public testing::Test {
 protected:
  TempDir folder_;
  Compiler compiler_{options_in(folder_.path())};
};

TEST_F(Fault, CrashesBecomeAStatus) {
  for (auto [what, text] : {std::pair{"crash", "segmentation fault"},
                            {"abort", "abort"},
                            {"fatal", "asked for by frit_test"},
                            {"exit", "exit with status 3"},
                            {"overflow", "segmentation fault"}}) {
    auto result = compiler_.compile(fault(what));
    EXPECT_EQ(result.status, CompileStatus::crash) << what;
    EXPECT_EQ(result.message,
              std::string("the compiler crashed: ") + text + " in the front end of test_0.cpp");
    EXPECT_THAT(read_file(result.reproducer / "test_0.cpp"), HasSubstr(what));
    EXPECT_THROW(raise_if_failed(result), InternalError);
  }
  // The next text compiles as if nothing had been.
  auto result = compiler_.compile(request_of({"extern \"C\" int f() { return 1; }"}));
  ASSERT_TRUE(result) << result.message;
  EXPECT_EQ(result.library->function<int()>("f")(), 1);
}

TEST_F(Fault, OneModuleOfSeveralCrashes) {
  auto request = fault("crash");
  for (int i = 0; i < 5; ++i)
    request.modules.push_back("extern \"C\" int g" + std::to_string(i) + "() { return 0; }");
  request.threads = 3;
  auto result = compiler_.compile(request);
  EXPECT_EQ(result.status, CompileStatus::crash);
  EXPECT_THAT(result.message, HasSubstr("test_0.cpp"));
}

TEST_F(Fault, HooksAreObeyedOnRequestOnly) {
  auto request = fault("crash");
  request.test_hooks = false;
  EXPECT_TRUE(compiler_.compile(request));
}

TEST_F(Fault, AFolderForReproducersThatCannotBeWritten) {
  CompilerOptions options = options_in(folder_.path());
  write_file_atomic(folder_ / "file", "");
  options.reproducers = folder_.path() / "file" / "x";
  auto result = Compiler(options).compile(request_of({"wrong"}));
  EXPECT_EQ(result.status, CompileStatus::diagnostics);
  EXPECT_TRUE(result.reproducer.empty());
}

sigjmp_buf host_jump;
void* volatile host_address = nullptr;
void host_handler(int, siginfo_t* info, void*) {
  host_address = info->si_addr;
  siglongjmp(host_jump, 1);
}

TEST_F(Fault, TheHostsSignalHandlersStay) {
  struct sigaction mine = {}, before, after;
  mine.sa_sigaction = host_handler;
  mine.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &mine, &before);
  struct sigaction interrupt_before, interrupt_after;
  sigaction(SIGINT, nullptr, &interrupt_before);
  EXPECT_TRUE(compiler_.compile(request_of({"extern \"C\" int f() { return 1; }"})));
  EXPECT_EQ(compiler_.compile(fault("crash")).status, CompileStatus::crash);
  EXPECT_EQ(compiler_.compile(fault("overflow")).status, CompileStatus::crash);
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_sigaction, host_handler);
  sigaction(SIGINT, nullptr, &interrupt_after);
  EXPECT_EQ(interrupt_after.sa_handler, interrupt_before.sa_handler);
  sigaction(SIGSEGV, &before, nullptr);
}

TEST_F(Fault, AFaultOfTheHostDuringACompileIsTheHosts) {
  struct sigaction mine = {}, before;
  mine.sa_sigaction = host_handler;
  mine.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &mine, &before);
  auto request = request_of({});
  for (int i = 0; i < 30; ++i)
    request.modules.push_back("extern \"C\" int f" + std::to_string(i) + "(int x) { return x; }");
  int faults = 0;
  request.interrupted = [&] {  // runs on this thread while another compiles
    if (sigsetjmp(host_jump, 1) == 0) {
      *(volatile int*)0x10 = 1;
    } else {
      ++faults;
    }
    return false;
  };
  auto result = compiler_.compile(request);
  EXPECT_TRUE(result) << result.message;
  EXPECT_GT(faults, 0);
  EXPECT_EQ((void*)host_address, (void*)0x10);
  sigaction(SIGSEGV, &before, nullptr);
}

TEST_F(Fault, AnInterruptionLeavesAtOnce) {
  auto request = request_of({});
  for (int i = 0; i < 200; ++i)
    request.modules.push_back("extern \"C\" int f" + std::to_string(i) + "(int x) { return x; }");
  int asked = 0;
  request.interrupted = [&] { return ++asked >= 1; };
  auto result = compiler_.compile(request);
  EXPECT_EQ(result.status, CompileStatus::interrupted);
  EXPECT_THAT(result.message, HasSubstr("the compile was interrupted in the "));
  EXPECT_TRUE(result.reproducer.empty());
  // The plugin goes on to serve.
  EXPECT_TRUE(compiler_.compile(request_of({"extern \"C\" int f() { return 1; }"})));
  request.interrupted = [&]() -> bool { throw 1; };
  request.modules[0] += " ";
  EXPECT_EQ(compiler_.compile(request).status, CompileStatus::interrupted);
}

TEST(Child, Hang) {
  ONLY_AS_CHILD();
  TempDir folder;
  CompilerOptions options = options_in(folder.path());
  options.time_limit = std::chrono::milliseconds(300);
  Compiler compiler(options);
  auto before = compiler.compile(request_of({"extern \"C\" int f() { return 1; }"}));
  ASSERT_TRUE(before) << before.message;
  auto result = compiler.compile(fault("hang"));
  EXPECT_EQ(result.status, CompileStatus::hang);
  EXPECT_EQ(result.message,
            "the compiler did not finish: no result after 300 ms, in the front end of test_0.cpp");
  EXPECT_THAT(read_file(result.reproducer / "test_0.cpp"), HasSubstr("hang"));
  EXPECT_THROW(raise_if_failed(result), InternalError);
  EXPECT_GE(result.times.total, 300);
  EXPECT_LT(result.times.total, 2000);
  // The plugin is given up, at once and with a reason; what is cached still serves.
  auto after = compiler.compile(request_of({"extern \"C\" int g() { return 1; }"}));
  EXPECT_EQ(after.status, CompileStatus::plugin_unfit);
  EXPECT_EQ(after.message,
            "the compiler plugin takes no more work: the compiler hung or broke in an "
            "earlier compile of this process");
  EXPECT_THROW(raise_if_failed(after), UserError);
  EXPECT_TRUE(compiler.compile(request_of({"extern \"C\" int f() { return 1; }"})).hit);
  // ... and the process ends properly while the abandoned thread still runs.
}

TEST(Hang, IsReportedAndSurvived) { EXPECT_CHILD_PASSES("Hang"); }

}  // namespace
}  // namespace frit::jit
