// Compiled callables where the cache, the compiler plugin or the environment is not as it should
// be: every call gives what eager gives, and one notice says what is wrong and what to do. Each
// case is a process of its own.
#include <fcntl.h>
#include <frit/autograd.h>
#include <frit/compile.h>
#include <frit/nn.h>
#include <frit/ops.h>
#include <frit/optim.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/config.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/file.h"
#include "child.h"
#include "compile/callable.h"
#include "core/generator.h"

namespace frit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// --- the program that every child runs ---

// Losses and weights of a few steps; whether compiled code ran.
struct Outcome {
  std::vector<float> values;
  bool native = false;
  uint64_t eager_calls = 0;
};

Outcome train(bool compiled) {
  manual_seed(3);
  nn::Linear net(4, 3);
  optim::SGD sgd(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  auto body = [&](Tensor x, Tensor y) {
    sgd.zero_grad();
    Tensor loss = frit::cross_entropy(frit::dropout(net(x), 0.2, true), y);
    loss.backward();
    sgd.step();
    return loss.detach();
  };
  auto step = compile(net, body);
  Outcome out;
  for (int i = 0; i < 6; ++i) {
    Tensor x = frit::randn({Int(5 + i % 2), Int(4)}), y = frit::randint(3, {Int(5 + i % 2)});
    out.values.push_back((compiled ? step(x, y) : body(x, y)).item<float>());
  }
  for (const Tensor& p : net.parameters())
    for (float v : p.detach().to_vector<float>()) out.values.push_back(v);
  out.eager_calls = step.callable()->eager_calls();
  for (auto& e : step.callable()->all_entries())
    if (e->compilation) out.native = e->compilation->forward->code() != nullptr;
  return out;
}

// A loss that is differentiated outside: its backward is compiled by itself.
bool gradients_agree() {
  auto fn = [](Tensor x) { return (x.exp() * x).sum(); };
  auto f = compile(fn);
  for (int i = 0; i < 2; ++i) {
    Tensor a = frit::ones({5}).requires_grad_(), b = frit::ones({5}).requires_grad_();
    f(a).backward();
    fn(b).backward();
    auto p = a.grad().to_vector<float>(), q = b.grad().to_vector<float>();
    for (size_t k = 0; k < p.size(); ++k)
      if (std::abs(p[k] - q[k]) > 1e-5f * std::abs(q[k])) return false;
  }
  return true;
}

void run_and_expect(bool native) {
  const Outcome plain = train(false), compiled = train(true);
  ASSERT_EQ(plain.values.size(), compiled.values.size());
  for (size_t i = 0; i < plain.values.size(); ++i)
    EXPECT_NEAR(plain.values[i], compiled.values[i], 1e-5) << i;
  EXPECT_EQ(compiled.native, native);
  EXPECT_EQ(compiled.eager_calls, 0u);
  EXPECT_TRUE(gradients_agree());
}

TEST(Child, RunsNative) {
  ONLY_AS_CHILD();
  run_and_expect(true);
}
TEST(Child, RunsOnEagerKernels) {
  ONLY_AS_CHILD();
  run_and_expect(false);
}

// What the child printed; the test fails where it did.
std::string output_of(const std::string& test, const child::Variables& variables) {
  std::string output;
  EXPECT_EQ(child::start(test, variables).wait(output), 0) << output;
  return output;
}
int count_of(const std::string& text, const std::string& part) {
  int n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}
int files_in(const fs::path& folder) {
  int n = 0;
  for (auto& f : fs::recursive_directory_iterator(folder)) n += f.is_regular_file();
  return n;
}

// --- the cache ---

TEST(Cache, AFolderThatCannotBeMade) {
  TempDir folder;
  write_file_atomic(folder / "file", "");
  const std::string output =
      output_of("RunsNative", {{"FRIT_CACHE_DIR", (folder / "file/cache").string()}});
  EXPECT_EQ(count_of(output, "frit: the object cache is off: cannot make the folder"), 1) << output;
  EXPECT_THAT(output, HasSubstr("set FRIT_CACHE_DIR to a folder of your own"));
}

TEST(Cache, AFolderThatOthersMayRead) {
  TempDir folder;
  const fs::path cache = folder / "cache";
  fs::create_directory(cache);
  fs::permissions(cache, fs::perms(0755));
  const std::string output = output_of("RunsNative", {{"FRIT_CACHE_DIR", cache.string()}});
  EXPECT_EQ(count_of(output, "other users may read it"), 1) << output;
  EXPECT_EQ(files_in(cache), 0);
}

// A file system of its own.
bool mount_small(const fs::path& at, const char* size) {
  const std::string user = "0 " + std::to_string(geteuid()) + " 1",
                    group = "0 " + std::to_string(getegid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
  auto say = [](const char* file, const std::string& text) {
    int fd = open(file, O_WRONLY);
    bool said = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (fd >= 0) close(fd);
    return said;
  };
  const std::string options = std::string("mode=0700,size=") + size;
  return say("/proc/self/uid_map", user) && say("/proc/self/setgroups", "deny") &&
         say("/proc/self/gid_map", group) &&
         mount("tmpfs", at.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

constexpr const char* kNoMount = "no file system can be mounted here";

TEST(Child, FullDisk) {
  ONLY_AS_CHILD();
  const fs::path cache = *env("FRIT_CACHE_DIR");
  if (!mount_small(cache, "8k")) {
    std::puts(kNoMount);
    return;
  }
  run_and_expect(true);
  EXPECT_EQ(files_in(cache), 0) << "something half written was left";
}

TEST(Cache, AFullDisk) {
  TempDir folder;
  const std::string output = output_of("FullDisk", {{"FRIT_CACHE_DIR", folder.path().string()}});
  if (output.find(kNoMount) != output.npos) GTEST_SKIP() << kNoMount;
  EXPECT_EQ(count_of(output, "the object cache takes no new entries: cannot write to"), 1)
      << output;
  EXPECT_THAT(output, HasSubstr("No space left on device. Free some space or set FRIT_CACHE_DIR"));
}

TEST(Child, ReadOnlyDisk) {
  ONLY_AS_CHILD();
  const fs::path cache = *env("FRIT_CACHE_DIR"), full = std::getenv("FRIT_TEST_FULL");
  if (!mount_small(cache, "64m")) {
    std::puts(kNoMount);
    return;
  }
  if (full != "none") fs::copy(full, cache, fs::copy_options::recursive);
  ASSERT_EQ(mount("tmpfs", cache.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  run_and_expect(true);
}

TEST(Cache, AReadOnlyFolder) {
  TempDir folder, full;
  const child::Variables variables{{"FRIT_CACHE_DIR", folder.path().string()},
                                   {"FRIT_TEST_FULL", "none"}};
  std::string output = output_of("ReadOnlyDisk", variables);
  if (output.find(kNoMount) != output.npos) GTEST_SKIP() << kNoMount;
  EXPECT_EQ(count_of(output, "the object cache takes no new entries: cannot write to"), 1)
      << output;
  // What it holds serves, without the compiler.
  output_of("RunsNative", {{"FRIT_CACHE_DIR", full.path().string()}});
  output_of("ReadOnlyDisk", {{"FRIT_CACHE_DIR", folder.path().string()},
                             {"FRIT_TEST_FULL", full.path().string()},
                             {"FRIT_PLUGIN", "/nowhere/libfrit_cc.so"}});
}

// Where not even memory takes a file of that size, nothing can be loaded.
TEST(Child, NoFileFits) {
  ONLY_AS_CHILD();
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{1000, 1000};
  setrlimit(RLIMIT_FSIZE, &limit);
  run_and_expect(false);
}

TEST(Cache, NoFileFitsAnywhere) {
  TempDir folder;
  const std::string output =
      output_of("NoFileFits", {{"FRIT_CACHE_DIR", folder.path().string()},
                               {"FRIT_DEBUG_DIR", (folder / "debug").string()}});
  EXPECT_THAT(output, HasSubstr("runs on eager kernels: "));
  EXPECT_EQ(files_in(folder.path() / "debug"), 0);
}

// Entries that another version left under the names of ours are not run: they are made anew.
TEST(Cache, OfAnotherVersion) {
  TempDir folder;
  const child::Variables cache{{"FRIT_CACHE_DIR", folder.path().string()}};
  output_of("RunsNative", cache);
  std::vector<std::pair<fs::path, std::string>> files;
  for (auto& f : fs::recursive_directory_iterator(folder.path()))
    if (f.is_regular_file()) files.emplace_back(f.path(), read_file(f.path()));
  ASSERT_GE(files.size(), 3u);
  for (size_t i = 0; i < files.size(); ++i) {
    std::string other = files[i].second;
    if (i % 3 == 0) other.resize(other.size() - 24);    // without its trailer
    if (i % 3 == 1) other = files[(i + 1) % 3].second;  // another's
    if (i % 3 == 2) other[other.size() / 2] ^= 1;
    write_file_atomic(files[i].first, other);
  }
  output_of("RunsNative", cache);
  for (auto& [path, bytes] : files) EXPECT_EQ(read_file(path).size(), bytes.size()) << path;
}

// A folder that is shared by processors of different levels serves both.
TEST(Cache, OfAnotherProcessor) {
  if (cpu_level() == CpuLevel::avx2) GTEST_SKIP() << "this processor has one level";
  TempDir folder;
  const std::pair<std::string, std::string> cache{"FRIT_CACHE_DIR", folder.path().string()},
      logs{"FRIT_LOGS", "cache"};
  std::string output = output_of("RunsNative", {cache, logs, {"FRIT_CPU_LEVEL", "avx2"}});
  EXPECT_THAT(output, HasSubstr(": compiled in"));
  output = output_of("RunsNative", {cache, logs, {"FRIT_CPU_LEVEL", "avx512"}});
  EXPECT_THAT(output, AllOf(HasSubstr(": compiled in"), Not(HasSubstr(": found in"))));
  for (const char* level : {"avx2", "avx512"}) {
    output = output_of("RunsNative", {cache, logs, {"FRIT_CPU_LEVEL", level}});
    EXPECT_THAT(output, AllOf(HasSubstr(": found in"), Not(HasSubstr(": compiled in"))));
  }
}

// --- the plugin ---

child::Variables with_plugin(const fs::path& folder, const std::string& plugin,
                             const char* fault = "") {
  return {{"FRIT_CACHE_DIR", (folder / "cache").string()},
          {"FRIT_DEBUG_DIR", (folder / "debug").string()},
          {"FRIT_PLUGIN", plugin},
          {"FRIT_TEST_FAULT", fault}};
}

TEST(Plugin, None) {
  TempDir folder;
  const std::string output =
      output_of("RunsOnEagerKernels", with_plugin(folder.path(), "/nowhere/libfrit_cc.so"));
  EXPECT_EQ(count_of(output,
                     "runs on eager kernels: the compiler plugin that FRIT_PLUGIN names "
                     "does not exist: /nowhere/libfrit_cc.so"),
            1)
      << output;
  EXPECT_THAT(output, HasSubstr("try: unset FRIT_PLUGIN, or set it to the path of libfrit_cc.so"));
}

TEST(Plugin, NoneIsNeededWithAFullCache) {
  TempDir folder;
  output_of("RunsNative", {{"FRIT_CACHE_DIR", (folder / "cache").string()}});
  output_of("RunsNative", with_plugin(folder.path(), "/nowhere/libfrit_cc.so"));
}

TEST(Plugin, AFileThatIsNone) {
  TempDir folder;
  write_file_atomic(folder / "plugin.so", "text");
  const std::string output =
      output_of("RunsOnEagerKernels", with_plugin(folder.path(), (folder / "plugin.so").string()));
  EXPECT_THAT(output, HasSubstr("runs on eager kernels: cannot load the compiler plugin: "));
}

TEST(Plugin, OfAnotherBuild) {
  TempDir folder;
  const std::string output =
      output_of("RunsOnEagerKernels", with_plugin(folder.path(), FAKES "other_build.so"));
  EXPECT_THAT(output, HasSubstr("is of another build: it is 18.1.8-0123456789abcdef"));
  EXPECT_THAT(output, HasSubstr("try: install Frit again"));
}

TEST(Plugin, Crashes) {
  TempDir folder;
  const std::string output = output_of(
      "RunsOnEagerKernels", with_plugin(folder.path(), FAKES "faulty_plugin.so", "crash"));
  EXPECT_THAT(output, HasSubstr("runs on eager kernels: the compiler crashed: segmentation fault"));
  EXPECT_THAT(output, HasSubstr("reproducer: " + (folder / "debug").string()));
  EXPECT_GT(files_in(folder / "debug"), 1);
}

TEST(Plugin, Hangs) {
  TempDir folder;
  auto variables = with_plugin(folder.path(), FAKES "faulty_plugin.so", "hang");
  variables.emplace_back("FRIT_COMPILE_TIMEOUT", "1");
  const std::string output = output_of("RunsOnEagerKernels", variables);
  EXPECT_THAT(output, HasSubstr("runs on eager kernels: the compiler did not finish: no result "
                                "after 1000 ms"));
  EXPECT_THAT(output, HasSubstr("reproducer: " + (folder / "debug").string()));
}

TEST(Plugin, DoesNotTakeTheText) {
  TempDir folder;
  const std::string output = output_of(
      "RunsOnEagerKernels", with_plugin(folder.path(), FAKES "faulty_plugin.so", "diagnostics"));
  EXPECT_THAT(output, HasSubstr("runs on eager kernels: "));
  EXPECT_THAT(output, HasSubstr("error: "));
  EXPECT_THAT(output, HasSubstr("reproducer: "));
}

TEST(Plugin, GivesWhatCannotBeLoaded) {
  TempDir folder;
  const std::string output =
      output_of("RunsOnEagerKernels", with_plugin(folder.path(), FAKES "faulty_plugin.so", "junk"));
  EXPECT_THAT(output, HasSubstr("runs on eager kernels: "));
}

// --- variables ---

TEST(Variables, ThatMakeNoSenseAreSaid) {
  for (auto [name, value, text] :
       {std::tuple{"FRIT_CACHE_LIMIT_MB", "-3", "[FRIT_CACHE_LIMIT_MB] is -3, expected a number"},
        {"FRIT_CACHE_LIMIT_MB", "much", "[FRIT_CACHE_LIMIT_MB]"},
        {"FRIT_COMPILE_TIMEOUT", "-1", "[FRIT_COMPILE_TIMEOUT] is -1, expected seconds"}}) {
    const std::string output = output_of("RunsOnEagerKernels", {{name, value}});
    EXPECT_THAT(output, HasSubstr(std::string("could not be compiled: ") + text));
  }
}

TEST(Variables, UnknownChecksAreSaidOnce) {
  TempDir folder;
  const std::string output =
      output_of("RunsNative",
                {{"FRIT_CACHE_DIR", (folder / "cache").string()}, {"FRIT_CHECK", "verify,bogus"}});
  EXPECT_EQ(count_of(output, "frit: FRIT_CHECK: unknown: bogus; known: replay, verify"), 1)
      << output;
}

TEST(Variables, DebugFilesThatCannotBeWritten) {
  TempDir folder;
  write_file_atomic(folder / "file", "");
  const std::string output =
      output_of("RunsNative", {{"FRIT_CACHE_DIR", (folder / "cache").string()},
                               {"FRIT_COMPILE_DEBUG", "1"},
                               {"FRIT_DEBUG_DIR", (folder / "file/debug").string()}});
  EXPECT_EQ(count_of(output, "frit: "), 1) << output;
  EXPECT_THAT(output, HasSubstr("FRIT_DEBUG_DIR"));
}

TEST(Child, Disabled) {
  ONLY_AS_CHILD();
  const Outcome plain = train(false), compiled = train(true);
  EXPECT_EQ(plain.values, compiled.values);
  EXPECT_EQ(compiled.eager_calls, 6u);
}
TEST(Variables, CompileCanBeDisabled) { output_of("Disabled", {{"FRIT_DISABLE_COMPILE", "1"}}); }

}  // namespace
}  // namespace frit
