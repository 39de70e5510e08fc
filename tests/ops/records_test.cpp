// Every record: consistent, and its schema PyTorch's own.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "ops/record.h"
#include "ops/record_check.h"

namespace frit {
namespace {

nlohmann::json aten_schemas() {
  std::ifstream file(std::string(FRIT_SOURCE_DIR) + "/tools/op_samples/schemas.json");
  return nlohmann::json::parse(file)["schemas"];
}

TEST(Records, AreConsistent) {
  for (const OpRecord* r : registry().all()) EXPECT_NO_THROW(check_record(*r)) << r->full_name;
}

TEST(Records, HaveTheSchemasPyTorchHas) {
  nlohmann::json aten = aten_schemas();
  int compared = 0;
  for (const OpRecord* r : registry().all()) {
    auto it = aten.find("aten::" + r->full_name);
    if (it == aten.end()) continue;
    ++compared;
    Schema theirs = parse_schema(it->at("schema").get<std::string>()), ours = r->schema;
    // PyTorch names the results of some out forms and not of others; nothing reads those names.
    if (r->form == Form::out)
      for (Schema* s : {&ours, &theirs})
        for (SchemaReturn& result : s->returns) result.name.clear();
    EXPECT_EQ(ours.str(), theirs.str());
  }
  EXPECT_GT(compared, 250);
}

// An op of a name that PyTorch has must be one of PyTorch's overloads, so that no program meets an
// overload that it could not call there. Names that begin with an underscore may be our own.
TEST(Records, HaveNoOverloadPyTorchLacks) {
  nlohmann::json aten = aten_schemas();
  std::set<std::string> names;
  for (auto& [full, _] : aten.items()) names.insert(full.substr(6, full.find('.', 6) - 6));
  for (const OpRecord* r : registry().all())
    if (names.contains(r->schema.name))
      EXPECT_TRUE(aten.contains("aten::" + r->full_name)) << r->full_name;
}

TEST(Records, FormsPointAtOneAnother) {
  for (const OpRecord* r : registry().all()) {
    if (r->inplace) {
      EXPECT_EQ(r->inplace->functional, r) << r->full_name;
      EXPECT_EQ(r->inplace->form, Form::inplace);
    }
    if (r->out) {
      EXPECT_EQ(r->out->functional, r) << r->full_name;
      EXPECT_EQ(r->out->form, Form::out);
    }
    EXPECT_EQ(registry().find(r->full_name), r);
  }
}

TEST(Records, EveryNameHasADocOnSomeOverload) {
  std::set<std::string> without;
  for (const OpRecord* r : registry().all()) {
    if (r->form != Form::functional) continue;
    bool any = false;
    for (const OpRecord* o : registry().overloads(r->schema.name)) any |= !o->doc.empty();
    if (!any && !r->schema.name.ends_with("_backward") && !r->schema.name.starts_with("__"))
      without.insert(r->schema.name);
  }
  EXPECT_TRUE(without.empty()) << testing::PrintToString(without);
}

TEST(Registry, RefusesASecondOpOfAName) {
  Registry r;
  r.op("frit_test(Tensor self) -> Tensor").pointwise("neg").not_differentiable();
  try {
    r.op("frit_test(Tensor self, Tensor other) -> Tensor");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_EQ(e.message(), "an op named frit_test exists already");
    EXPECT_EQ(e.kind(), ErrorKind::value);
  }
}

// What check_record says of records that are not whole.
std::string complaint(std::string_view schema, void (*describe)(OpBuilder&)) {
  Registry r;
  describe(r.op(schema));
  try {
    r.finish();
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

TEST(Registry, NamesWhatARecordLacks) {
  using testing::AssertionResult;
  auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(complaint("f(Tensor self) -> Tensor", [](OpBuilder& b) { b.pointwise("neg"); }),
                  "op record f: no vjp, and not marked not_differentiable()"));
  EXPECT_TRUE(has(complaint("f(Tensor self) -> Tensor", [](OpBuilder& b) { b.pointwise(""); }),
                  "a pointwise op needs a body"));
  EXPECT_TRUE(has(complaint("f(Tensor self) -> Tensor",
                            [](OpBuilder& b) { b.kind(Kind::library).not_differentiable(); }),
                  "no shape rule"));
  EXPECT_TRUE(has(complaint("f(Tensor self) -> Tensor", [](OpBuilder& b) { (void)b; }),
                  "a composite needs its decomposition"));
  EXPECT_TRUE(has(complaint("f(Tensor(a!) self) -> Tensor",
                            [](OpBuilder& b) { b.pointwise("neg").not_differentiable(); }),
                  "writes self but is a functional form"));
  EXPECT_TRUE(
      has(complaint("f(Tensor self) -> Tensor",
                    [](OpBuilder& b) { b.pointwise("neg").not_differentiable().saves({"self"}); }),
          "saves tensors for a vjp it does not have"));
}

}  // namespace
}  // namespace frit
