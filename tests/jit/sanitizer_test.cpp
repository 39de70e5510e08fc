// Generated code is watched by the sanitizer that the library is built with.
#include <gmock/gmock.h>

#include <thread>

#include "harness.h"

namespace frit::jit {
namespace {

using testing::HasSubstr;

using Store = void(int*, long);
constexpr const char* kStore = "extern \"C\" void store(int* p, long i) { p[i] = 1; }";

// The store as the plugin compiles it, through every pass of generated code.
std::shared_ptr<loader::Library> compiled_store() {
  auto result = Compiler(CompilerOptions()).compile(request_of({kStore}));
  raise_if_failed(result);
  return result.library;
}

TEST(Child, StoresPastTheEnd) {
  ONLY_AS_CHILD();
  auto library = compiled_store();
  std::vector<int> few(3);
  library->function<Store>("store")(few.data(), 3);
}

TEST(Child, StoresInARace) {
  ONLY_AS_CHILD();
  auto library = compiled_store();
  Store* store = library->function<Store>("store");
  int shared = 0;
  std::thread other([&] { store(&shared, 0); });
  store(&shared, 0);
  other.join();
}

[[maybe_unused]] void expect_report(const std::string& test, const char* text) {
  std::string output;
  EXPECT_NE(child::start(test, {}).wait(output), 0);
  EXPECT_THAT(output, HasSubstr(text));
}

#if __has_feature(address_sanitizer)
TEST(Sanitizer, SeesAGeneratedStorePastTheEnd) {
  expect_report("StoresPastTheEnd", "heap-buffer-overflow");
}
#elif __has_feature(thread_sanitizer)
TEST(Sanitizer, SeesGeneratedStoresInARace) { expect_report("StoresInARace", "data race"); }
#endif

}  // namespace
}  // namespace frit::jit
