#include "eager/dispatch.h"

#include "base/location.h"
#include "eager/intercept.h"
#include "eager/run.h"
#include "kernels/cpu/kernels.h"

namespace frit::eager {
namespace {

// Numbers that decide what an op is (dims, counts) are part of the entry: sizes given for them
// become guards. Those of `SymInt` arguments stay as they are.
ArgList specialized(const OpRecord& r, std::span<const Arg> args) {
  auto fixed = [](Int v) { return v.is_symbolic() ? Int(static_cast<int64_t>(v)) : v; };
  ArgList list(args);
  for (size_t i = 0; i < list.size(); ++i) {
    if (r.schema.args[i].symbolic) continue;
    if (list[i].is<Int>()) list[i] = Arg(fixed(list[i].as<Int>()));
    if (list[i].is<IntList>()) {
      IntList numbers;
      for (Int v : list[i].as<IntList>()) numbers.push_back(fixed(v));
      list[i] = Arg(std::move(numbers));
    }
  }
  return list;
}

// An op that runs as its parts, seen part by part. Its rules see symbolic sizes: where one raises,
// the op runs again as eager runs it, for eager's own words, or because eager has nothing to
// object.
void run_watched_parts(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
                       const SourceLocation& where) {
  PhiloxState rng = default_generator()->state();
  try {
    run_taped(r, args, outs, where, nullptr);
    return;
  } catch (const UserError& e) {
    if (!(t_state.word & kRecording)) throw;
    interceptor()->failed(r, e.message(), located(where));
  }
  // Parts are functional: nothing of the program's has been written.
  default_generator()->set_state(rng);
  outs.clear();
  UnrecordedScope quiet;
  ArgList numbers = concrete(args);
  run_taped(r, numbers, outs, where, nullptr);
}

// Under an interceptor: what runs as its parts is seen part by part, everything else as a whole.
void run_watched(const OpRecord& r, std::span<const Arg> given, TensorVector& outs,
                 const SourceLocation& where) {
  const OpRecord& functional = *r.functional;
  ArgList special;
  std::span<const Arg> args = given;
  if (has_symbolic(given)) {
    special = specialized(r, given);
    args = special;
  }
  bool taped = goes_on_tape(r, args);
  if (runs_as_parts(functional, taped)) return run_watched_parts(r, args, outs, where);
  Traces traces;
  traces.self_copy = copy_before_write(r, args, taped, where);
  if (t_state.word & kReplaying) {
    outs.resize(r.schema.returns.size());
    if (interceptor()->answer(r, args, {outs.data(), outs.size()}, located(where))) return;
    outs.clear();
  }
  if (!(t_state.word & kRecording)) return run_taped(r, args, outs, where, &traces);

  // The interceptor must have met the tensor before it changes its sizes.
  if (r.form == Form::inplace && functional.kind == Kind::view)
    interceptor()->reading_metadata(*args[0].ref().tensor().impl());
  ArgList numbers;
  std::span<const Arg> actual = args;
  if (has_symbolic(args)) {
    numbers = concrete(args);
    actual = numbers;
  }
  PhiloxState rng;
  if (functional.words) rng = generator_of(functional, args).state();
  struct Resized {
    Tensor tensor;
    Ptr<Storage> storage;
  };
  SmallVector<Resized, 1> written;
  if (r.form == Form::out)
    for (const Arg& a : args.subspan(functional.schema.args.size()))
      written.push_back({a.ref().tensor(), a.ref().tensor().impl()->storage});
  {
    UnrecordedScope quiet;
    run_taped(r, actual, outs, where, &traces);
  }
  for (const Resized& w : written)
    if (!(w.tensor.impl()->storage == w.storage)) note_resized(*w.tensor.impl(), where);
  interceptor()->note(r, args, {outs.data(), outs.size()}, rng, located(where));
  if (!(t_state.word & kRecording)) return;
  if (traces.info) traces.info->keep_symbolic(args, {outs.data(), outs.size()});
  if (!traces.node) return;
  traces.node->tell_aliases(args, {outs.data(), outs.size()});
  if (TapeObserver* o = tape_observer()) o->taped(*traces.node);
}

[[noreturn]] void fail_undefined(const OpRecord& r, const SchemaArg& a) {
  throw UserError(ErrorKind::type, r.schema.name,
                  (a.type == ArgType::tensor ? "argument '" : "a tensor of argument '") + a.name +
                      "' is an undefined tensor",
                  "give it a tensor");
}

// Only arguments that may be absent may be undefined.
void require_tensors(const OpRecord& r, std::span<const Arg> args) {
  const SchemaArg* a = r.schema.args.data();
  for (const Arg& arg : args) {
    if (arg.is_none() || arg.is_ref()) {
      if (a->type == ArgType::tensor && !a->optional && (arg.is_none() || !arg.ref().defined()))
          [[unlikely]]
        fail_undefined(r, *a);
    } else if (arg.is_ref_list() && !a->optional_elements) {
      for (const Ref& t : arg.refs())
        if (!t.defined()) fail_undefined(r, *a);
    }
    ++a;
  }
}

void run(const OpRecord& r, std::span<const Arg> args, TensorVector& outs,
         const SourceLocation& where) {
  if (where) t_last_place = where;
  try {
    require_tensors(r, args);
    kernels::install();
    if (recording()) [[unlikely]]
      run_watched(r, args, outs, where);
    else
      run_taped(r, args, outs, where, nullptr);
  } catch (const UserError& e) {
    SourceLocation place = located(where);
    if (e.where() || !place) throw;
    throw e.at(place);
  }
}

}  // namespace

void dispatch(const OpRecord& record, std::span<const Arg> args, std::span<Tensor> outs,
              SourceLocation where) {
  TensorVector made;
  run(record, args, made, where);
  FRIT_INVARIANT(made.size() == outs.size(), record.full_name + " gave " +
                                                 std::to_string(made.size()) + " tensors, not " +
                                                 std::to_string(outs.size()));
  for (size_t i = 0; i < outs.size(); ++i) outs[i] = std::move(made[i]);
}

TensorList dispatch_list(const OpRecord& record, std::span<const Arg> args, SourceLocation where) {
  TensorVector made;
  run(record, args, made, where);
  return TensorList(std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

RefList EagerCaller::call(const OpRecord& record, std::span<const Arg> args) {
  TensorVector made;
  run(record, args, made, where_);
  RefList refs;
  for (Tensor& t : made) refs.emplace_back(std::move(t));
  return refs;
}

Ref EagerCaller::expanded(const Ref& r, std::span<const Int> sizes) {
  // A view that nobody follows is a layout, and no op need run for it.
  constexpr uint32_t kSeen = kRecording | kReplaying | kGradEnabled | kInferenceMode;
  if (!r.defined()) return Caller::expanded(r, sizes);  // which refuses it
  const TensorImpl& t = *r.tensor().impl();
  if ((t_state.word & kSeen) || !(t_state.word & kViewsUnseen) || t.sizes.size() > sizes.size())
    return Caller::expanded(r, sizes);
  const size_t lead = sizes.size() - t.sizes.size();
  Dims to, strides;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].is_symbolic()) return Caller::expanded(r, sizes);
    const auto size = static_cast<int64_t>(sizes[i]);
    const bool same = i >= lead && t.sizes[i - lead] == size;
    if (!same && i >= lead && t.sizes[i - lead] != 1) return Caller::expanded(r, sizes);
    to.push_back(size);
    strides.push_back(same ? t.strides[i - lead] : 0);
  }
  return Ref(alias_view(r.tensor(), to, strides, t.offset));
}

int64_t EagerCaller::item(const Ref& r) { return r.tensor().item<int64_t>(); }

}  // namespace frit::eager
