// Describing a record: what OpBuilder notes.
#include "ops/record.h"

#include "base/error.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {
namespace {

uint32_t mask_of(const OpRecord& r, std::initializer_list<std::string_view> names) {
  uint32_t mask = 0;
  for (std::string_view n : names) {
    int i = r.schema.find(n);
    FRIT_INVARIANT(i >= 0, r.full_name + " has no argument " + std::string(n));
    mask |= uint32_t{1} << i;
  }
  return mask;
}

}  // namespace

OpBuilder& OpBuilder::pointwise(std::string_view body, Promotion p) {
  r_.kind = Kind::pointwise;
  r_.body = body;
  r_.promotion = p;
  r_.shape = pointwise_rule<int64_t>;
  r_.shape_symbolic = pointwise_rule<Int>;
  return *this;
}

OpBuilder& OpBuilder::uncast(std::initializer_list<std::string_view> args) {
  r_.uncast_args = mask_of(r_, args);
  return *this;
}

OpBuilder& OpBuilder::promoting(std::initializer_list<std::string_view> operands,
                                std::initializer_list<std::string_view> parameters) {
  r_.operand_args = mask_of(r_, operands);
  r_.promoting_args = r_.operand_args | mask_of(r_, parameters);
  return *this;
}

OpBuilder& OpBuilder::variants(std::string_view arg,
                               std::initializer_list<std::string_view> texts) {
  r_.variant_arg = r_.schema.find(arg);
  r_.variants.assign(texts.begin(), texts.end());
  return *this;
}

OpBuilder& OpBuilder::reduction(std::string_view body, Promotion p) {
  r_.kind = Kind::reduction;
  r_.body = body;
  r_.promotion = p;
  r_.dims_arg = r_.schema.find("dim");
  r_.keepdim_arg = r_.schema.find("keepdim");
  r_.dtype_arg = r_.schema.find("dtype");
  r_.shape = reduction_rule<int64_t>;
  r_.shape_symbolic = reduction_rule<Int>;
  return *this;
}

OpBuilder& OpBuilder::view(IndexMap map, ViewInverse inverse) {
  r_.kind = Kind::view;
  r_.index_map = std::move(map);
  r_.view_inverse = std::move(inverse);
  return *this;
}

OpBuilder& OpBuilder::random(std::string_view body, Words words) {
  r_.kind = Kind::random;
  r_.body = body;
  r_.words = std::move(words);
  return *this;
}

OpBuilder& OpBuilder::saves(std::initializer_list<std::string_view> args, uint32_t outs) {
  r_.saves_args = mask_of(r_, args);
  r_.saves_outs = outs;
  return *this;
}

OpBuilder& OpBuilder::not_differentiable_in(std::initializer_list<std::string_view> args) {
  r_.not_differentiable_args = mask_of(r_, args);
  return *this;
}

OpBuilder& OpBuilder::flat_in_place() {
  r_.differentiable = false;
  r_.flat_in_place = true;
  r_.vjp = flat_vjp;
  return *this;
}

OpBuilder& OpBuilder::inplace(std::optional<std::string_view> overload) {
  wants_inplace = true;
  if (overload) inplace_overload = std::string(*overload);
  return *this;
}

OpBuilder& OpBuilder::out(std::optional<std::string_view> overload,
                          std::initializer_list<std::string_view> names) {
  wants_out = true;
  if (overload) out_overload = std::string(*overload);
  out_names.assign(names.begin(), names.end());
  return *this;
}

}  // namespace frit
