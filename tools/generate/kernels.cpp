// The bodies that eager kernels are made of, one line each.
#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/error.h"
#include "ops/record.h"
#include "outputs.h"

namespace frit::generate {
namespace {

constexpr const char* kNotice =
    "// Generated from the op records by tools/generate; do not edit.\n";

bool is_number(ArgType t) {
  return t == ArgType::scalar || t == ArgType::real || t == ArgType::integer ||
         t == ArgType::boolean;
}

// One trial of a shape rule: tensors of one dtype, the last of them of no dimensions if `flat`,
// with numbers that are floats if `real`.
struct Trial {
  DType dtype;
  std::string_view variant;
  bool flat = false, real = false, dtype_given = false;
};

ArgList trial_args(const OpRecord& r, const Trial& trial) {
  const DType t = trial.dtype;
  ArgList args;
  size_t last = 0;
  for (size_t i = 0; i < r.schema.args.size(); ++i)
    if (r.schema.args[i].type == ArgType::tensor) last = i;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    bool uncast = r.uncast_args >> i & 1;
    Dims sizes{2};
    if (trial.flat && i == last) sizes.clear();
    if (a.type == ArgType::tensor)
      args.push_back(Arg(empty_cpu(sizes, uncast ? DType::boolean : t)));
    else if (static_cast<int>(i) == r.variant_arg)
      args.push_back(Arg(trial.variant));
    else if (static_cast<int>(i) == r.dtype_arg && trial.dtype_given)
      args.push_back(Arg(t));
    else if (a.has_default)
      args.push_back(a.default_value);
    else if (a.type == ArgType::scalar)
      args.push_back(Arg(trial.real ? Scalar(1.0) : is_bool(t) ? Scalar(true) : Scalar(1)));
    else if (a.type == ArgType::boolean)
      args.push_back(Arg(true));
    else if (a.type == ArgType::integer)
      args.push_back(Arg(Int(0)));
    else if (a.type == ArgType::integer_list)
      args.push_back(Arg(IntList{Int(0)}));
    else
      args.push_back(Arg());
  }
  return args;
}

// The compute type of a call; nothing where the shape rule refuses it.
std::optional<DType> compute_type_of(const OpRecord& r, const Trial& trial) {
  ArgList args = trial_args(r, trial);
  try {
    ShapeCtx<int64_t> ctx(r, args);
    r.shape(ctx);
    return compute_type(
        (r.kind == Kind::pointwise ? pointwise_types : reduction_types)(r, args).compute);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

unsigned compute_types(const OpRecord& r, std::string_view variant) {
  unsigned mask = 0;
  for (int t = 0; t < kNumDTypes; ++t)
    for (bool flat : {false, true})
      for (bool real : {false, true})
        for (bool dtype_given : {false, true})
          if (auto c =
                  compute_type_of(r, {static_cast<DType>(t), variant, flat, real, dtype_given}))
            mask |= 1u << static_cast<int>(*c);
  return mask;
}

struct Shape {  // of a body's arguments
  int tensors = 0, numbers = 0;
  unsigned uncast = 0;
};

Shape shape_of(const OpRecord& r) {
  Shape s;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    if (r.schema.args[i].type == ArgType::tensor) {
      if (r.uncast_args >> i & 1) s.uncast |= 1u << s.tensors;
      ++s.tensors;
    } else if (is_number(r.schema.args[i].type)) {
      ++s.numbers;
    }
  }
  return s;
}

std::vector<std::string> variants_of(const OpRecord& r) {
  return r.variant_arg == kNoArg ? std::vector<std::string>{""} : r.variants;
}

bool gives_bool(Promotion p) { return p == Promotion::comparison || p == Promotion::to_bool; }

}  // namespace

void write_kernels(Files& files) {
  std::map<std::tuple<std::string, int, int>, std::tuple<unsigned, bool, unsigned>> bodies;
  std::map<std::string, unsigned> reductions;
  std::map<std::string, const OpRecord*> reduction_records;
  for (const OpRecord* r : registry().all()) {
    if (r->form != Form::functional) continue;
    if (r->kind == Kind::pointwise)
      for (const std::string& v : variants_of(*r)) {
        Shape s = shape_of(*r);
        std::string name = v.empty() ? r->body : r->body + "_" + v;
        auto [it, fresh] = bodies.try_emplace({name, s.tensors, s.numbers}, s.uncast,
                                              gives_bool(r->promotion), 0u);
        if (!fresh && (std::get<0>(it->second) != s.uncast ||
                       std::get<1>(it->second) != gives_bool(r->promotion)))
          throw InternalError("body " + name + " is used in two ways: " + r->full_name);
        std::get<2>(it->second) |= compute_types(*r, v);
      }
    if (r->kind == Kind::reduction) {
      reductions[r->body] |= compute_types(*r, "");
      reduction_records.try_emplace(r->body, r);
    }
  }
  std::string pointwise = kNotice;
  for (auto& [key, value] : bodies)
    pointwise += fmt::format("FRIT_POINTWISE({}, {}, {}, {}, {}, {:#05x})\n", std::get<0>(key),
                             std::get<1>(key), std::get<2>(key), std::get<0>(value),
                             std::get<1>(value), std::get<2>(value));
  files["src/kernels/cpu/generated/pointwise.inc"] = pointwise;
  std::string text = std::string(kNotice) +
                     "// FRIT_REDUCTION(body, outputs, what it gives: compute type, bool or index, "
                     "mask of compute types, "
                     "has a decomposition)\n";
  for (auto& [body, types] : reductions) {
    const OpRecord& r = *reduction_records[body];
    const char* gives = gives_bool(r.promotion)              ? "bool"
                        : r.promotion == Promotion::to_index ? "index"
                                                             : "compute";
    text += fmt::format("FRIT_REDUCTION({}, {}, {}, {:#05x}, {})\n", body, r.schema.returns.size(),
                        gives, types, static_cast<bool>(r.decomp));
  }
  files["src/kernels/cpu/generated/reduction.inc"] = text;
}

}  // namespace frit::generate
