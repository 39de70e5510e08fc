#include "op_samples/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace op_samples {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kSource = FRIT_SOURCE_DIR;
const fs::path kData = kSource / "tests/op_samples/data";

nlohmann::json json_of(const fs::path& path) { return nlohmann::json::parse(std::ifstream(path)); }

TEST(OpSamples, every_file_reads_and_agrees_with_the_schemas) {
  const auto listed = json_of(kSource / "tools/op_samples/schemas.json");
  std::map<std::string, size_t> dtypes;
  std::set<std::string> ops;
  size_t samples = 0, errors = 0, differentiated = 0, without_values = 0, aliases = 0, mutating = 0;
  const auto all = files(kData);
  ASSERT_GT(all.size(), 150u);
  for (const auto& path : all) {
    const File file = File::load(path);
    const auto header = nlohmann::json::parse(file.header());
    EXPECT_EQ(header["torch"], listed["torch"]) << path;
    EXPECT_FALSE(file.samples().empty()) << path;
    for (const Sample& sample : file.samples()) {
      const std::string op(sample.op);
      ASSERT_TRUE(listed["schemas"].contains(op)) << op;
      ASSERT_EQ(listed["schemas"][op]["schema"], sample.schema);
      ops.insert(op);
      ++samples;
      errors += sample.error.has_value();
      differentiated += !sample.grads.empty();
      without_values += !sample.has_values;
      mutating += !sample.mutated.empty();
      for (const Output& output : sample.outputs) aliases += output.alias_of >= 0;
      if (!sample.inputs.empty()) ++dtypes[name(sample.inputs[0].dtype)];
      // What the reader does not check itself.
      EXPECT_EQ(sample.grads.empty(), sample.grad_outputs.empty()) << sample.source;
      for (const Indexed& grad : sample.grads) {
        EXPECT_TRUE(sample.inputs[grad.index].requires_grad) << sample.source;
        if (grad.tensor) EXPECT_EQ(grad.tensor->sizes, sample.inputs[grad.index].sizes);
      }
      if (sample.error) EXPECT_TRUE(sample.outputs.empty()) << sample.source;
    }
  }
  EXPECT_EQ(dtypes.size(), 10u);
  std::cout << all.size() << " files, " << samples << " samples of " << ops.size() << " overloads; "
            << differentiated << " with gradients, " << mutating << " that write an argument, "
            << aliases << " outputs that alias one, " << errors << " errors, " << without_values
            << " without values\n";
  for (const auto& [dtype, n] : dtypes) std::cout << "  first input " << dtype << ": " << n << "\n";
}

TEST(OpSamples, every_sample_of_op_db_is_stored) {
  const auto account = json_of(kSource / "tests/op_samples/op_db.json");
  for (const auto& [entry, dtypes] : account["entries"].items()) {
    for (const auto& [dtype, tally] : dtypes.items()) {
      if (dtype == "errors" || entry == "contiguous") continue;  // README.md says why
      EXPECT_EQ(tally["samples"], tally["stored"]) << entry << " " << dtype;
    }
  }
}

TEST(OpSamples, add_has_values_gradients_and_arguments) {
  const File file = File::load(kData / "add.bin.zst");
  bool found = false;
  for (const Sample& sample : file.samples()) {
    const Value* alpha = sample.argument("alpha");
    if (sample.op != "aten::add.Tensor" || sample.error || !alpha || sample.inputs.size() != 2)
      continue;
    if (sample.inputs[0].dtype != Dtype::float64 || sample.inputs[1].dtype != Dtype::float64)
      continue;
    if (sample.inputs[0].sizes != sample.inputs[1].sizes || alpha->kind != Value::Kind::real)
      continue;
    found = true;
    const auto a = values_by_row(sample.inputs[0]), b = values_by_row(sample.inputs[1]);
    const auto c = values_by_row(*sample.outputs.at(0).tensor);
    for (size_t i = 0; i < c.size(); i += 8) {
      double x, y, z;
      std::memcpy(&x, &a[i], 8);
      std::memcpy(&y, &b[i], 8);
      std::memcpy(&z, &c[i], 8);
      EXPECT_NEAR(z, x + alpha->real * y, 1e-12);
    }
  }
  EXPECT_TRUE(found);
}

TEST(OpSamples, strided_inputs_are_read_by_row) {
  const std::vector<float> storage = {0, 1, 2, 3, 4, 5, 6, 7};
  TensorData view;
  view.sizes = {2, 3};
  view.strides = {1, 2};
  view.offset = 1;
  view.bytes = std::as_bytes(std::span(storage));
  const auto bytes = values_by_row(view);
  std::vector<float> got(6);
  std::memcpy(got.data(), bytes.data(), bytes.size());
  EXPECT_THAT(got, testing::ElementsAre(1, 3, 5, 2, 4, 6));
}

class DamagedFile : public testing::Test {
 protected:
  std::string error_of(const std::string& bytes) {
    const fs::path path = fs::path(testing::TempDir()) / "damaged_op_sample.bin.zst";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    try {
      File::load(path);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(DamagedFile, is_named_in_the_error) {
  std::ifstream in(kData / "alias.bin.zst", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(error_of(good), "");
  EXPECT_THAT(error_of(good.substr(0, good.size() / 2)), HasSubstr("does not decompress"));
  EXPECT_THAT(error_of("hello"), HasSubstr("is not a zstd frame"));
  EXPECT_THAT(error_of(""), HasSubstr("damaged_op_sample.bin.zst"));
  EXPECT_THROW(File::load(kData / "no such op.bin.zst"), std::runtime_error);
}

}  // namespace
}  // namespace op_samples
