#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/event.h"
#include "harness.h"

namespace frit::jit {
namespace {

using testing::HasSubstr;

const char* kAdd = R"(
typedef float vf __attribute__((ext_vector_type(8)));
extern "C" void add(float* o, const float* a, const float* b, long n) {
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    vf x, y;
    __builtin_memcpy(&x, a + i, 32);
    __builtin_memcpy(&y, b + i, 32);
    x = x + y;
    __builtin_memcpy(o + i, &x, 32);
  }
  for (; i < n; ++i) o[i] = a[i] + b[i];
}
)";

class Compile : public testing::Test {
 protected:
  TempDir folder_;
  Compiler compiler_{options_in(folder_.path())};
};

TEST_F(Compile, RunsWhatItCompiled) {
  auto result = compiler_.compile(request_of({kAdd}));
  ASSERT_TRUE(result) << result.message;
  EXPECT_FALSE(result.hit);
  auto add = result.library->function<void(float*, const float*, const float*, long)>("add");
  std::vector<float> a(19), b(19), o(19);
  for (int i = 0; i < 19; ++i) a[i] = i, b[i] = 100;
  add(o.data(), a.data(), b.data(), 19);
  for (int i = 0; i < 19; ++i) EXPECT_EQ(o[i], i + 100);
  EXPECT_GT(result.times.front_end, 0);
  EXPECT_GT(result.times.codegen, 0);
  EXPECT_GT(result.times.link, 0);
  EXPECT_GE(result.times.total, result.times.front_end + result.times.codegen + result.times.link);
}

TEST_F(Compile, EveryLevelAndOptimisation) {
  for (CpuLevel level : {CpuLevel::avx2, CpuLevel::avx512})
    for (Optimize optimize : {Optimize::slim, Optimize::o1, Optimize::o2, Optimize::o3}) {
      auto request = request_of({kAdd});
      request.level = level;
      request.optimize = optimize;
      auto result = compiler_.compile(request);
      ASSERT_TRUE(result) << result.message;
      EXPECT_FALSE(result.hit);
      EXPECT_TRUE(result.library->find("add"));
    }
}

TEST_F(Compile, TheLevelDecidesTheInstructionSet) {
  const char* text = R"(
#if defined(__AVX512F__) && defined(__AVX512VL__)
extern "C" int level() { return 5; }
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
extern "C" int level() { return 2; }
#endif
#if defined(__AVX512VNNI__) || defined(__AVX512BF16__)
#error "more than the level"
#endif
)";
  for (auto [level, value] : {std::pair{CpuLevel::avx2, 2}, {CpuLevel::avx512, 5}}) {
    auto request = request_of({text});
    request.level = level;
    auto result = compiler_.compile(request);
    ASSERT_TRUE(result) << result.message;
    EXPECT_EQ(result.library->function<int()>("level")(), value);
  }
}

TEST_F(Compile, TheHeaderStandsBeforeEveryModule) {
  auto request = request_of(
      {"extern \"C\" int f() { return kSeven; }", "extern \"C\" int g() { return kSeven + 1; }"});
  request.header = "enum { kSeven = 7 };\n";
  auto result = compiler_.compile(request);
  ASSERT_TRUE(result) << result.message;
  EXPECT_EQ(result.library->function<int()>("f")(), 7);
  EXPECT_EQ(result.library->function<int()>("g")(), 8);
}

TEST_F(Compile, ModulesAreLinkedIntoOneObject) {
  std::vector<std::string> modules = {
      "extern \"C\" int f1();\nextern \"C\" int f0() { return f1() + 1; }"};
  for (int i = 1; i < 9; ++i)
    modules.push_back("extern \"C\" int f" + std::to_string(i + 1) + "();\nextern \"C\" int f" +
                      std::to_string(i) + "() { return f" + std::to_string(i + 1) + "() + 1; }");
  modules.push_back("extern \"C\" int f9() { return 1; }");
  for (int threads : {1, 2, 4, 100}) {
    auto request = request_of(modules);
    request.threads = threads;
    request.modules[0] += "\n// " + std::to_string(threads);
    auto result = compiler_.compile(request);
    ASSERT_TRUE(result) << result.message;
    EXPECT_EQ(result.library->function<int()>("f0")(), 10);
  }
}

TEST_F(Compile, ThreadsDoNotChangeTheObject) {
  std::vector<std::string> objects;
  for (int threads : {1, 3}) {
    TempDir folder;
    Compiler compiler(options_in(folder.path()));
    auto request = request_of(
        {kAdd, "extern \"C\" int f() { return 1; }", "extern \"C\" int g() { return 1; }"});
    request.threads = threads;
    auto result = compiler.compile(request);
    ASSERT_TRUE(result) << result.message;
    objects.push_back(read_file(compiler.cache().object_path(result.key)));
  }
  EXPECT_EQ(objects[0], objects[1]);
}

TEST_F(Compile, NoContractionAndWrappingIntegers) {
  auto result = compiler_.compile(request_of({R"(
extern "C" float muladd(float a, float b, float c) { return a * b + c; }
extern "C" int next(int a) { return a + 1 > a; }
)"}));
  ASSERT_TRUE(result) << result.message;
  // 1 + 2^-12 squared needs 25 bits; with a fused multiply-add the last one would survive.
  float x = 1.0f + 0x1p-12f;
  float product = x * x;
  EXPECT_EQ(result.library->function<float(float, float, float)>("muladd")(x, x, -product), 0.0f);
  EXPECT_EQ(result.library->function<int(int)>("next")(2147483647), 0);
}

TEST_F(Compile, TheSecondTimeIsAHit) {
  auto first = compiler_.compile(request_of({kAdd}));
  ASSERT_TRUE(first) << first.message;
  auto second = compiler_.compile(request_of({kAdd}));
  EXPECT_TRUE(second.hit);
  EXPECT_EQ(second.library, first.library);
  first.library.reset();
  second.library.reset();
  Compiler other(options_in(folder_.path()));
  auto third = other.compile(request_of({kAdd}));
  EXPECT_TRUE(third.hit);
  EXPECT_TRUE(third.library->find("add"));
  EXPECT_EQ(third.times.front_end, 0);
}

TEST_F(Compile, KeysCoverWhatTheObjectDependsOn) {
  CompileRequest base = request_of({"int f();", "int g();"});
  base.header = "// header\n";
  std::vector<CompileRequest> all(8, base);
  all[1].header = "// header \n";
  all[2].level = CpuLevel::avx512;
  all[3].optimize = Optimize::o2;
  all[4].debug = true;
  all[5].modules[0] += " ";
  all[6].modules = {"int f();int g();"};
  all[7].modules = {"int g();", "int f();"};
  std::set<std::string> keys;
  for (auto& request : all) keys.insert(Compiler::key_of(request).hex());
  EXPECT_EQ(keys.size(), all.size());
  // ... and nothing else: where the time goes and what messages say is no matter of the object.
  CompileRequest same = base;
  same.threads = 2;
  same.name = "other";
  EXPECT_EQ(Compiler::key_of(same), Compiler::key_of(base));
}

TEST_F(Compile, APrecompiledHeaderChangesNothingButTheTime) {
  std::string header = "template <class T> static inline T twice(T x) { return x + x; }\n";
  for (int i = 0; i < 300; ++i)
    header += "template <class T> static inline T unused" + std::to_string(i) +
              "(T x) { return x * " + std::to_string(i) + "; }\n";
  auto request = request_of({"extern \"C\" int f(int x) { return twice(x); }"});
  request.header = header;
  auto first = compiler_.compile(request);
  ASSERT_TRUE(first) << first.message;
  EXPECT_GT(first.times.precompile, 0);
  EXPECT_EQ(first.library->function<int(int)>("f")(4), 8);
  std::string object = read_file(compiler_.cache().object_path(first.key));

  // The next compile of this process, and the first of another, find the precompiled header.
  first.library.reset();
  for (int other = 0; other < 2; ++other) {
    fs::remove(compiler_.cache().object_path(first.key));
    Compiler fresh(options_in(folder_.path()));
    auto second = (other ? fresh : compiler_).compile(request);
    ASSERT_TRUE(second) << second.message;
    EXPECT_FALSE(second.hit);
    EXPECT_EQ(second.times.precompile, 0);
    EXPECT_EQ(read_file(compiler_.cache().object_path(second.key)), object);
  }

  // Errors read as if it were not there.
  auto wrong = request_of({"extern \"C\" int f(int x) { return thrice(x); }"});
  wrong.header = header;
  auto result = compiler_.compile(wrong);
  EXPECT_EQ(result.status, CompileStatus::diagnostics);
  EXPECT_THAT(result.message, HasSubstr("use of undeclared identifier 'thrice'"));
}

TEST_F(Compile, AnErrorInALargeHeaderIsSaid) {
  auto request = request_of({"extern \"C\" int f() { return 0; }"});
  std::string header = std::string(10000, '\n') + "int broken(;\n";
  request.header = header;
  auto result = compiler_.compile(request);
  EXPECT_EQ(result.status, CompileStatus::diagnostics);
  EXPECT_THAT(result.message, HasSubstr("frit_vec.h:10001:12: error: expected expression"));
}

TEST_F(Compile, DiagnosticsComeWithAReproducer) {
  auto request = request_of({"extern \"C\" int f() { return nothing_such; }"});
  request.header = "enum { a = 1 };\n";
  auto result = compiler_.compile(request);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.status, CompileStatus::diagnostics);
  EXPECT_EQ(result.library, nullptr);
  EXPECT_EQ(result.message,
            "generated code does not compile:\n"
            "/frit/test_0.cpp:1:29: error: use of undeclared identifier 'nothing_such'\n"
            "    1 | extern \"C\" int f() { return nothing_such; }\n"
            "      |                             ^");
  EXPECT_EQ(read_file(result.reproducer / "test_0.cpp"), request.modules[0]);
  EXPECT_EQ(read_file(result.reproducer / "frit_vec.h"), request.header);
  EXPECT_THAT(read_file(result.reproducer / "message.txt"), HasSubstr("nothing_such"));
  EXPECT_THAT(read_file(result.reproducer / "run.sh"),
              HasSubstr("clang++-19 -std=c++20 -O1 -march=x86-64-v3 -mprefer-vector-width=256 "
                        "-ffp-contract=off"));
  try {
    raise_if_failed(result);
    FAIL() << "nothing raised";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("internal error: generated code does not compile:"));
    EXPECT_THAT(error.what(),
                HasSubstr("to reproduce: " + (result.reproducer / "run.sh").string()));
  }
  // A failed compile is not remembered as one that succeeded.
  EXPECT_EQ(compiler_.compile(request).status, CompileStatus::diagnostics);
}

TEST_F(Compile, TheReproducersCommandWorks) {
  if (std::system("clang++-19 --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no clang++-19 here";
  auto request = request_of(
      {"extern \"C\" int f() { return seven; }", "extern \"C\" int g() { return wrong; }"});
  request.header = "enum { seven = 7 };\n";
  auto result = compiler_.compile(request);
  ASSERT_FALSE(result.reproducer.empty());
  std::string run =
      (result.reproducer / "run.sh").string() + " >" + (folder_ / "out").string() + " 2>&1";
  EXPECT_NE(std::system(run.c_str()), 0);
  EXPECT_THAT(read_file(folder_ / "out"), HasSubstr("use of undeclared identifier 'wrong'"));
  write_file_atomic(result.reproducer / "test_1.cpp", "");
  EXPECT_EQ(std::system(run.c_str()), 0) << read_file(folder_ / "out");
}

TEST_F(Compile, LinkAndLoadErrorsAreDiagnostics) {
  auto twice = compiler_.compile(
      request_of({"extern \"C\" int f() { return 1; }", "extern \"C\" int f() { return 2; }"}));
  EXPECT_EQ(twice.status, CompileStatus::diagnostics);
  EXPECT_THAT(twice.message, HasSubstr("duplicate symbol: f"));
  auto missing = compiler_.compile(request_of(
      {"extern \"C\" int g_of_nobody();\nextern \"C\" int f() { return g_of_nobody(); }"}));
  EXPECT_EQ(missing.status, CompileStatus::diagnostics);
  EXPECT_THAT(missing.message, HasSubstr("undefined symbol: g_of_nobody"));
  EXPECT_FALSE(missing.reproducer.empty());
  auto assembly = compiler_.compile(request_of({"extern \"C\" void f() { asm(\"bogus %rax\"); }"}));
  EXPECT_EQ(assembly.status, CompileStatus::diagnostics);
  EXPECT_THAT(assembly.message, HasSubstr("invalid instruction mnemonic 'bogus'"));
}

TEST_F(Compile, FilesOutsideAreNotSeen) {
  for (const char* text : {"#include <cmath>", "#include <immintrin.h>", "#include \"/etc/passwd\"",
                           "#include </usr/include/math.h>"}) {
    auto result = compiler_.compile(request_of({text}));
    EXPECT_EQ(result.status, CompileStatus::diagnostics) << text;
    EXPECT_THAT(result.message, HasSubstr("file not found"));
  }
}

TEST_F(Compile, DebugInformationOnRequest) {
  auto request = request_of({kAdd});
  auto plain = compiler_.compile(request);
  request.debug = true;
  auto debug = compiler_.compile(request);
  ASSERT_TRUE(debug) << debug.message;
  EXPECT_THAT(read_file(compiler_.cache().object_path(debug.key)), HasSubstr(".debug_line"));
  EXPECT_THAT(read_file(compiler_.cache().object_path(plain.key)),
              testing::Not(HasSubstr(".debug_line")));
}

TEST_F(Compile, DebuggersFindTheSources) {
  auto request = request_of({kAdd});
  request.debug = true;
  request.sources = folder_ / "sources";
  auto result = compiler_.compile(request);
  ASSERT_TRUE(result) << result.message;
  fs::path source = folder_.path() / "sources" / "test_0.cpp";
  EXPECT_EQ(read_file(source), kAdd);
  EXPECT_THAT(read_file(compiler_.cache().object_path(result.key)), HasSubstr(source.string()));
  fs::remove(source);
  EXPECT_TRUE(compiler_.compile(request).hit);
  EXPECT_EQ(read_file(source), kAdd);
}

TEST_F(Compile, WithoutACacheItIsInMemory) {
  CompilerOptions options = options_in(folder_.path());
  options.cache.folder.reset();
  Compiler compiler(options);
  auto first = compiler.compile(request_of({kAdd}));
  ASSERT_TRUE(first) << first.message;
  EXPECT_TRUE(first.library->path().empty());
  EXPECT_TRUE(compiler.compile(request_of({kAdd})).hit);  // the process has it
  first.library.reset();
  EXPECT_FALSE(compiler.compile(request_of({kAdd})).hit);
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

TEST_F(Compile, ADamagedEntryIsCompiledAgain) {
  auto first = compiler_.compile(request_of({kAdd}));
  fs::path path = compiler_.cache().object_path(first.key);
  first.library.reset();
  std::string bytes = read_file(path);
  for (size_t keep : {size_t(0), size_t(100), bytes.size() / 2, bytes.size() - 1}) {
    write_file_atomic(path, std::string_view(bytes).substr(0, keep));
    auto again = compiler_.compile(request_of({kAdd}));
    ASSERT_TRUE(again) << again.message;
    EXPECT_FALSE(again.hit);
    EXPECT_EQ(read_file(path), bytes);
  }
  EXPECT_EQ(compiler_.cache().stats().damaged, 4);
}

TEST_F(Compile, EventsTellWhatHappened) {
  std::vector<std::string> seen;
  auto subscription =
      subscribe([&](const Event& e) { seen.push_back(e.name); }, channel_bit(Channel::cache));
  compiler_.compile(request_of({kAdd})).library.reset();
  compiler_.compile(request_of({kAdd}));
  compiler_.compile(request_of({"wrong"}));
  EXPECT_THAT(seen, testing::ElementsAre("miss", "compile", "hit", "miss", "diagnostics"));
}

TEST_F(Compile, ManyThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) {
        // Every other text is shared by all threads.
        int value = i % 2 ? 1000 + i : t * 10 + i;
        auto result = compiler_.compile(
            request_of({"extern \"C\" int f() { return " + std::to_string(value) + "; }"}));
        if (result && result.library->function<int()>("f")() == value) right++;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 18);
}

}  // namespace
}  // namespace frit::jit
