#include "ops/record_check.h"

#include "base/error.h"

namespace frit {
namespace {

[[noreturn]] void fail(const OpRecord& r, const std::string& what) {
  throw InternalError("op record " + r.full_name + ": " + what);
}

bool has_tensor(const OpRecord& r) {
  for (const SchemaArg& a : r.schema.args)
    if (a.type == ArgType::tensor || a.type == ArgType::tensor_list) return true;
  return false;
}

void check_masks(const OpRecord& r) {
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    uint32_t bit = uint32_t{1} << i;
    ArgType t = r.schema.args[i].type;
    bool tensor = t == ArgType::tensor || t == ArgType::tensor_list;
    if (r.saves_args & bit && !tensor)
      fail(r, "saves " + r.schema.args[i].name + ", which is no tensor");
    if (r.uncast_args & bit && t != ArgType::tensor)
      fail(r, r.schema.args[i].name + " is uncast but no tensor");
    if (r.promoting_args & bit && t != ArgType::scalar)
      fail(r, r.schema.args[i].name + " promotes but is no Scalar");
  }
  if (r.saves_outs >> r.schema.returns.size()) fail(r, "saves an output it does not have");
  if ((r.saves_args || r.saves_outs) && !r.vjp) fail(r, "saves tensors for a vjp it does not have");
}

void check_form(const OpRecord& r) {
  if (r.schema.args.size() > 32) fail(r, "more than 32 arguments");
  if (r.form == Form::functional) {
    for (const SchemaArg& a : r.schema.args)
      if (a.is_written && !r.has_effect) fail(r, "writes " + a.name + " but is a functional form");
    if (r.functional != &r) fail(r, "a functional form is its own functional op");
    return;
  }
  bool written = false;
  for (const SchemaArg& a : r.schema.args) written |= a.is_written;
  if (!written) fail(r, "a form that writes marks no argument as written");
}

void check_kind(const OpRecord& r) {
  switch (r.kind) {
    case Kind::pointwise:
      if (r.body.empty()) fail(r, "a pointwise op needs a body");
      if (r.schema.returns.size() != 1) fail(r, "a pointwise op gives one tensor");
      if (r.variant_arg != kNoArg &&
          r.schema.args[static_cast<size_t>(r.variant_arg)].type != ArgType::string)
        fail(r, "variants are told apart by a string argument");
      break;
    case Kind::reduction:
      if (r.body.empty()) fail(r, "a reduction needs a body");
      if (r.schema.args.empty() || r.schema.args[0].type != ArgType::tensor)
        fail(r, "a reduction's first argument is the tensor it reduces");
      break;
    case Kind::view:
      if (r.form != Form::functional) break;
      if (r.schema.returns.empty() || !r.schema.returns[0].alias_set)
        fail(r, "a view's result is marked (a)");
      if (!r.index_map || !r.view_inverse) fail(r, "a view needs its index map and its inverse");
      break;
    case Kind::random:
      if (r.form == Form::functional && !r.words)
        fail(r, "a random op says how many words it takes");
      break;
    case Kind::composite:
      if (r.form == Form::functional && !r.decomp) fail(r, "a composite needs its decomposition");
      break;
    case Kind::matmul:
    case Kind::index:
    case Kind::creation:
    case Kind::copy:
    case Kind::library:
    case Kind::host:
      break;
  }
}

}  // namespace

void check_record(const OpRecord& r) {
  if (r.schema.returns.empty() && !r.has_effect) fail(r, "gives nothing and has no effect");
  check_form(r);
  check_masks(r);
  check_kind(r);
  bool implicit = r.kind == Kind::composite && !r.kernel && !r.vjp;
  if (!implicit && (!r.shape || !r.shape_symbolic)) fail(r, "no shape rule");
  if (r.form == Form::functional && !r.differentiable && r.vjp && !r.flat_in_place)
    fail(r, "a vjp, but marked not differentiable");
  // What has a decomposition is differentiated through it.
  if (r.form == Form::functional && r.differentiable && !implicit && !r.vjp && !r.decomp &&
      has_tensor(r) && r.kind != Kind::host)
    fail(r, "no vjp, and not marked not_differentiable()");
}

}  // namespace frit
