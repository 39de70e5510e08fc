// The table of all ops, and the straight list of families that fill it.
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "base/error.h"
#include "ops/families.h"
#include "ops/kind_rules.h"
#include "ops/record_check.h"

namespace frit {

// Records never move and are never removed; the maps are read by any thread while a custom op may
// be registered by another.
struct Registry::State {
  mutable std::shared_mutex mutex;
  std::deque<OpRecord> records;
  std::deque<OpBuilder> open;  // described since the last finish()
  std::unordered_map<std::string, OpRecord*> by_name;
  std::unordered_map<std::string, std::vector<const OpRecord*>> overloads;

  OpRecord* find(std::string_view name) const {
    auto it = by_name.find(std::string(name));
    return it == by_name.end() ? nullptr : it->second;
  }

  OpRecord& add(Schema schema) {
    std::string full = schema.full_name();
    if (find(full))
      throw UserError(ErrorKind::value, schema.name, "an op named " + full + " exists already",
                      "another name, or another overload name after a dot");
    OpRecord& r = records.emplace_back();
    r.schema = std::move(schema);
    r.full_name = full;
    r.id = static_cast<uint32_t>(records.size() - 1);
    r.functional = &r;
    by_name.emplace(full, &r);
    overloads[r.schema.name].push_back(&r);
    return r;
  }

  OpRecord& add_form(const OpRecord& functional, Form form, Schema schema) {
    OpRecord& r = add(std::move(schema));
    r.kind = functional.kind;
    r.form = form;
    r.functional = &functional;
    r.body = functional.body;
    r.promotion = functional.promotion;
    r.uncast_args = functional.uncast_args;
    r.promoting_args = functional.promoting_args;
    r.operand_args = functional.operand_args;
    r.variant_arg = functional.variant_arg;
    r.variants = functional.variants;
    r.dims_arg = functional.dims_arg;
    r.keepdim_arg = functional.keepdim_arg;
    r.dtype_arg = functional.dtype_arg;
    r.empty_dims_reduce_nothing = functional.empty_dims_reduce_nothing;
    r.differentiable = functional.differentiable;
    r.raises_on_data = functional.raises_on_data;
    r.raises_on_integers = functional.raises_on_integers;
    r.doc = functional.doc;
    return r;
  }

  void add_inplace(OpBuilder& b) {
    OpRecord& f = b.record();
    Schema s = f.schema;
    s.name += "_";
    if (b.inplace_overload) s.overload = *b.inplace_overload;
    s.args[0].is_written = true;
    s.args[0].alias_set = 'a';
    s.returns[0].is_written = true;
    s.returns[0].alias_set = 'a';
    OpRecord& r = add_form(f, Form::inplace, std::move(s));
    r.differentiable = f.differentiable || f.flat_in_place;
    if (f.shape) {  // a composite without one checks as it runs its parts
      r.shape = inplace_rule<int64_t>;
      r.shape_symbolic = inplace_rule<Int>;
    }
    f.inplace = &r;
  }

  void add_out(OpBuilder& b) {
    OpRecord& f = b.record();
    Schema s = f.schema;
    s.overload = b.out_overload       ? *b.out_overload
                 : s.overload.empty() ? "out"
                                      : s.overload + "_out";
    for (size_t i = 0; i < s.returns.size(); ++i) {
      SchemaArg a;
      if (i < b.out_names.size())
        a.name = b.out_names[i];
      else
        a.name = s.returns.size() == 1 ? "out" : "out" + std::to_string(i);
      a.is_written = true;
      a.alias_set = static_cast<char>('a' + i);
      a.keyword_only = true;
      s.args.push_back(std::move(a));
      s.returns[i].is_written = true;
      s.returns[i].alias_set = static_cast<char>('a' + i);
    }
    OpRecord& r = add_form(f, Form::out, std::move(s));
    if (f.shape) {  // a composite without one checks as it runs its parts
      r.shape = out_rule<int64_t>;
      r.shape_symbolic = out_rule<Int>;
    }
    f.out = &r;
  }
};

Registry::Registry() : state_(std::make_unique<State>()) {}
Registry::~Registry() = default;

OpBuilder& Registry::op(std::string_view schema) {
  std::unique_lock lock(state_->mutex);
  OpRecord& r = state_->add(parse_schema(schema));
  if (!r.schema.args.empty() && r.schema.args[0].is_written && r.schema.name.ends_with('_'))
    r.form = Form::inplace;
  return state_->open.emplace_back(r);
}

void Registry::finish() {
  std::unique_lock lock(state_->mutex);
  size_t first = state_->open.empty() ? 0 : state_->open.front().record().id;
  for (OpBuilder& b : state_->open) {
    if (b.wants_inplace) state_->add_inplace(b);
    if (b.wants_out) state_->add_out(b);
  }
  bool any = !state_->open.empty();
  state_->open.clear();
  if (!any) return;
  for (size_t i = first; i < state_->records.size(); ++i) check_record(state_->records[i]);
}

const OpRecord* Registry::find(std::string_view full_name) const {
  std::shared_lock lock(state_->mutex);
  return state_->find(full_name);
}

std::vector<const OpRecord*> Registry::overloads(std::string_view name) const {
  std::shared_lock lock(state_->mutex);
  auto it = state_->overloads.find(std::string(name));
  return it == state_->overloads.end() ? std::vector<const OpRecord*>() : it->second;
}

std::vector<const OpRecord*> Registry::all() const {
  std::shared_lock lock(state_->mutex);
  std::vector<const OpRecord*> list;
  for (const OpRecord& r : state_->records) list.push_back(&r);
  return list;
}

void Registry::set_kernel(std::string_view full_name, Kernel kernel) {
  std::unique_lock lock(state_->mutex);
  OpRecord* r = state_->find(full_name);
  FRIT_INVARIANT(r != nullptr,
                 "a kernel was given for " + std::string(full_name) + ", which is no op");
  FRIT_INVARIANT(static_cast<bool>(r->shape),
                 full_name.data() + std::string(" has a kernel but no shape rule"));
  r->kernel = kernel;
}

Registry& registry() {
  static Registry* all = [] {
    auto* r = new Registry;  // never destroyed: records are referred to until the process ends
    register_arithmetic(*r);
    register_unary(*r);
    register_activations(*r);
    register_comparisons(*r);
    register_clamping(*r);
    register_selection(*r);
    register_integer_ops(*r);
    register_reductions(*r);
    register_norms(*r);
    register_views(*r);
    register_view_composites(*r);
    register_matmul(*r);
    register_index(*r);
    register_random(*r);
    register_creation(*r);
    register_copy(*r);
    register_softmax(*r);
    register_normalization(*r);
    register_losses(*r);
    r->finish();
    return r;
  }();
  return *all;
}

const OpRecord& find_op(std::string_view full_name) {
  const OpRecord* r = registry().find(full_name);
  FRIT_INVARIANT(r != nullptr, "there is no op " + std::string(full_name));
  return *r;
}

}  // namespace frit
