#include "trace/recorder.h"

#include <algorithm>

#include "base/fault.h"
#include "core/layout.h"
#include "ops/generic.h"

namespace frit::trace {
namespace {

// Inputs that share a storage nobody writes are read separately: each has a key of its own.
constexpr uint64_t kSeparate = uint64_t{1} << 63;

struct Mismatch {
  std::string text;
};

// Strides of an input as products of its sizes where they are that (dense layouts in any order),
// else as numbers.
IntList symbolic_strides(const Dims& sizes, const Dims& strides, const IntList& symbols) {
  IntList result(strides.begin(), strides.end());
  std::vector<size_t> order;
  for (size_t i = 0; i < sizes.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    // Of equal strides, the one of size 1 is the inner one.
    if (strides[a] != strides[b]) return strides[a] < strides[b];
    return (sizes[a] == 1) != (sizes[b] == 1) ? sizes[a] == 1 : a > b;
  });
  Int running = 1;
  int64_t expected = 1;
  for (size_t i : order) {
    if (strides[i] != expected) {
      if (sizes[i] == 1) continue;  // its stride leads nowhere
      break;
    }
    result[i] = running;
    running = running * symbols[i];
    expected *= sizes[i];
  }
  return result;
}

// Where elements lie, as far as that is known: strides of dimensions of size 1 lead nowhere.
bool lie_alike(const ir::Value& a, const ir::Value& b) {
  for (size_t i = 0; i < a.sizes().size(); ++i) {
    Int x = a.strides()[i], y = b.strides()[i], n = a.sizes()[i];
    if (x.same_as(y) || (n.has_hint() && n.hint() <= 1)) continue;
    if (x.has_hint() && y.has_hint() && x.hint() != y.hint()) return false;
  }
  return true;
}

// Do several of a view's elements lie in one place? An update of it could not be carried further
// back: which of them was written?
bool shows_twice(const ir::Value& v) {
  Dims sizes, strides;
  for (size_t i = 0; i < v.sizes().size(); ++i) {
    if (!v.sizes()[i].has_hint() || !v.strides()[i].has_hint()) return false;
    sizes.push_back(v.sizes()[i].hint());
    strides.push_back(v.strides()[i].hint());
  }
  return may_overlap_itself(sizes, strides);
}

// How many elements of a storage a view from `offset` on needs; 0 where it is empty.
Int reach(const IntList& sizes, const IntList& strides, Int offset) {
  Int last = offset + 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if ((sizes[i] == 0).guard_or(false)) return 0;
    last = last + (sizes[i] - 1) * strides[i];
  }
  return last;
}

}  // namespace

Recorder::Recorder(std::shared_ptr<sym::ShapeEnv> env, Host& host, Options options)
    : env_(std::move(env)),
      host_(host),
      options_(std::move(options)),
      graph_(std::make_unique<ir::Graph>(env_)),
      asserts_before_(env_->runtime_asserts().size()) {}

Recorder::~Recorder() = default;

bool Recorder::knows(uint64_t identity) const { return tensors_.count(identity) != 0; }

void Recorder::stop(Stop s) {
  if (!stopped_) stopped_ = std::move(s);
}

int Recorder::input(const Handle& h) {
  if (auto it = tensors_.find(h.identity); it != tensors_.end()) return it->second.input;
  auto& grouped = options_.grouped_storages;
  bool in_group = std::find(grouped.begin(), grouped.end(), h.storage) != grouped.end();
  int group = -1;
  if (in_group && !storages_.count(h.storage)) {
    // The whole storage comes in first; members are views of it.
    Handle whole = host_.whole_storage(h);
    std::erase(grouped, h.storage);
    group = input(whole);
    grouped.push_back(h.storage);
  } else if (in_group) {
    group = storages_.at(h.storage).input;
  }

  Host::InputInfo info = host_.describe_input(h);
  const TensorDescription& d = h.description;
  IntList sizes;
  SmallVector<int, 5> symbols;
  if (info.known) sizes = info.known->first;
  for (size_t i = 0; i < d.sizes.size(); ++i) {
    if (info.known) {
      symbols.push_back(-1);
      continue;
    }
    const int mark = i < info.marks.size() ? info.marks[i] : 0;
    const bool wanted = mark == 0 ? options_.dynamic && info.dynamic : mark > 0;
    bool symbol = wanted && d.sizes[i] >= 2;
    sizes.push_back(symbol ? env_->new_symbol(d.sizes[i], 2, std::nullopt,
                                              info.name + ".size(" + std::to_string(i) + ")")
                           : Int(d.sizes[i]));
    symbols.push_back(symbol ? static_cast<int>(env_->symbols().size()) - 1 : -1);
  }
  IntList strides = info.known ? info.known->second : symbolic_strides(d.sizes, d.strides, sizes);
  int index = static_cast<int>(inputs_.size());
  ir::Value* v = graph_->add_input(info.name, d.dtype, sizes, strides, d.requires_grad);
  inputs_.push_back(
      {h, info.name, info.dynamic, group, false, false, std::move(symbols), in_group});

  TensorState t;
  t.input = index;
  t.sizes = sizes;
  t.strides = strides;
  if (group >= 0) {
    t.storage = h.storage;
    t.offset = d.offset;
    const OpRecord& as_strided = find_op("as_strided");
    t.chain.push_back({&as_strided, {Arg(), Arg(sizes), Arg(strides), Arg(Int(d.offset))}});
  } else {
    auto& siblings = inputs_of_storage_[h.storage];
    if (auto s = storages_.find(h.storage);
        !siblings.empty() && s != storages_.end() && s->second.writes > 0) {
      to_group_.push_back(h.storage);
      stop({"aliased_inputs",
            info.name + " shares memory with " + inputs_[static_cast<size_t>(siblings[0])].name +
                ", which was written before; the capture begins again with both as views of one "
                "storage",
            "",
            {},
            false});
    }
    t.storage = siblings.empty() ? h.storage : kSeparate | static_cast<uint64_t>(index);
    siblings.push_back(index);
    StorageState& s = storages_[t.storage];
    s.base = v;
    s.input = index;
    t.value = v;
    t.generation = s.generation;
  }
  host_.set_symbolic(h, t.sizes, t.strides, t.offset);
  tensors_.emplace(h.identity, std::move(t));
  return index;
}

Recorder::TensorState& Recorder::state_of(const Handle& h) {
  auto it = tensors_.find(h.identity);
  if (it == tensors_.end()) {
    input(h);
    it = tensors_.find(h.identity);
  }
  return it->second;
}

ir::Value* Recorder::current(TensorState& t, const ir::Provenance& from) {
  StorageState& s = storages_.at(t.storage);
  if (s.laid_out_anew) {
    const Input& in = inputs_[static_cast<size_t>(s.input)];
    to_group_.push_back(in.handle.storage);
    stop({"aliased_inputs",
          in.name + " is written and read again, and its strides leave gaps; the capture begins "
                    "again with it as a view of its storage",
          "", from.place(), false});
  }
  if (t.value && t.generation == s.generation) return t.value;
  ir::Value* v = s.base;
  ir::Provenance derived = from;
  derived.grad = true;  // a view follows its base's history whoever looks
  for (const ViewStep& step : t.chain) {
    ArgList args = step.args;
    args[0] = Arg(v);
    v = add(*step.record, std::move(args), derived)->output();
  }
  t.value = v;
  t.generation = s.generation;
  return v;
}

std::span<const Recorder::ViewStep> Recorder::views_of(const Handle& h) const {
  const TensorState& t = tensors_.at(h.identity);
  if (t.reshaped) return {};
  return t.chain;
}

ir::Value* Recorder::value_of(const Handle& h) { return current(state_of(h), {}); }

ArgList Recorder::with_values(std::span<const Arg> args, const ir::Provenance& from) {
  ArgList out;
  for (const Arg& a : args) {
    if (a.is_ref()) {
      out.push_back(Arg(current(state_of(*a.ref().handle()), from)));
    } else if (a.is_ref_list()) {
      std::vector<Ref> refs;
      for (const Ref& r : a.refs())
        refs.push_back(r.defined() ? Ref(current(state_of(*r.handle()), from)) : Ref());
      out.push_back(Arg(std::move(refs)));
    } else if (a.is<std::shared_ptr<Generator>>()) {
      out.push_back(Arg());  // the run's generator; one stream an entry
    } else {
      out.push_back(a);
    }
  }
  return out;
}

ir::Node* Recorder::add(const OpRecord& record, ArgList args, const ir::Provenance& from) {
  ir::Node* n = graph_->add(record, std::move(args), from);
  if (record.kind == Kind::random && record.words) {
    ShapeCtx<Int> shape(record, n->args());
    record.shape_symbolic(shape);
    graph_->set_rng_offset(n, fault(Fault::random_offset) ? Int(0) : rng_blocks_);
    rng_blocks_ = rng_blocks_ + ceildiv(record.words(shape), Int(4));
  }
  return n;
}

void Recorder::keep_args(ir::Node* n, std::span<const Arg> args, bool self_is_copied) {
  const OpRecord& r = n->record();
  if (!n->provenance().grad) return;
  auto keep = [&](const Ref& ref, size_t arg, int16_t element) {
    if (!ref.defined()) return;
    const TensorState& t = state_of(*ref.handle());
    ir::Kept k;
    k.arg = static_cast<int16_t>(arg);
    k.element = element;
    k.object = t.input;
    k.writes = storages_.at(t.storage).writes;
    k.maker = maker_of(t);
    kept_.push_back({n, std::move(k), t.storage, t.chain.empty() ? ref.handle()->identity : 0});
  };
  for (size_t i = self_is_copied ? 1 : 0; i < args.size(); ++i) {
    if (!(r.saves_args >> i & 1)) continue;
    if (args[i].is_ref()) keep(args[i].ref(), i, -1);
    if (args[i].is_ref_list())
      for (size_t j = 0; j < args[i].refs().size(); ++j)
        keep(args[i].refs()[j], i, static_cast<int16_t>(j));
  }
}

ir::Maker Recorder::maker_of(const StorageState& s) {
  if (s.maker.op) return s.maker;
  const ir::Node* n = s.base->producer();
  if (!n) return {};
  return {&n->record(), s.base->index(), n->provenance().place()};
}

// A view's is its last step, made anew where the base was written since.
ir::Maker Recorder::maker_of(const TensorState& t) const {
  const StorageState& s = storages_.at(t.storage);
  if (t.chain.empty() || (t.reshaped && t.reshaped != s.generation)) return maker_of(s);
  ir::Maker m = t.chain.back().maker;
  if (s.writes != t.chain.back().writes) m.output = 0;
  return m;
}

void Recorder::keep_outs(ir::Node* n, std::span<const Handle> outs) {
  if (!n->provenance().grad) return;
  for (size_t i = 0; i < outs.size(); ++i) {
    if (!(n->record().saves_outs >> i & 1)) continue;
    uint64_t storage = state_of(outs[i]).storage;
    ir::Kept k;
    k.element = static_cast<int16_t>(i);
    k.writes = storages_.at(storage).writes;
    kept_.push_back({n, std::move(k), storage});
  }
}

// Whose memory it is, once that is known. What nobody outside sees and nobody wrote needs no look.
void Recorder::settle_kept(const std::unordered_map<uint64_t, int>& base_output) {
  std::unordered_map<ir::Node*, std::vector<ir::Kept>> by_node;
  for (KeptIn& k : kept_) {
    const StorageState& s = storages_.at(k.storage);
    k.kept.input = s.input;
    if (auto holder = base_output.find(k.storage); holder != base_output.end())
      k.kept.output = holder->second;
    k.kept.writes_at_end = s.writes;
    if (k.kept.input >= 0 || k.kept.output >= 0 || k.kept.writes != s.writes)
      by_node[k.node].push_back(k.kept);
  }
  for (auto& [node, kept] : by_node) graph_->set_kept(node, std::move(kept));
}

// The real result against what the shape rule said: a difference is our bug and drops the capture.
void Recorder::check_agrees(const ir::Value& v, const Handle& h, const OpRecord& record) {
  const TensorDescription& d = h.description;
  bool same = v.dtype() == d.dtype && v.sizes().size() == d.sizes.size();
  // A stride of a dimension of size 1 or of an empty tensor addresses nothing.
  bool empty = std::find(d.sizes.begin(), d.sizes.end(), 0) != d.sizes.end();
  for (size_t i = 0; same && i < d.sizes.size(); ++i) {
    if (v.sizes()[i].has_hint()) same = v.sizes()[i].hint() == d.sizes[i];
    if (same && !empty && d.sizes[i] > 1 && v.strides()[i].has_hint())
      same = v.strides()[i].hint() == d.strides[i];
  }
  if (same) return;
  throw Mismatch{"[" + record.full_name + "] gave " + std::string(short_name(d.dtype)) +
                 dims_text(d.sizes) + " strides " + dims_text(d.strides) +
                 ", its shape rule says " + std::string(short_name(v.dtype())) +
                 symbolic_text(v.sizes()) + " strides " + symbolic_text(v.strides())};
}

// Has it a size that only the data decides?
bool Recorder::of_data(const Handle& h) const {
  auto it = tensors_.find(h.identity);
  return it != tensors_.end() && std::ranges::any_of(it->second.sizes, [](Int n) {
           return n.is_symbolic() && n.expr()->has_unbacked();
         });
}

void Recorder::note(const OpRecord& record, std::span<const Arg> args,
                    std::span<const Handle> results, const ir::Provenance& from) {
  if (stopped_) return;
  noted_ = nullptr;
  SourceLocation where = from.place();
  try {
    if (record.form != Form::functional || record.functional != &record)
      note_written(record, args, results, from);
    else if (record.kind == Kind::view)
      note_view(record, args, results, from);
    else
      note_fresh(record, args, results, from);
  } catch (const Mismatch& m) {
    stop({"mismatch", m.text, "", where, true});
  } catch (const UserError& e) {
    // Eager had nothing to object: it knew the sizes that data decided.
    bool data = false;
    for_each_ref(args, [&](const Ref& r) { data = data || (r.defined() && of_data(*r.handle())); });
    stop({data ? "data_dependent" : "not_recorded",
          "[" + record.full_name + "] could not be recorded: " + e.what(), "", where, !data});
  } catch (const std::exception& e) {
    stop({"not_recorded", "[" + record.full_name + "] could not be recorded: " + e.what(), "",
          where, true});
  }
}

// A place that counts from the beginning of the storage, as one from that of the tensor.
void Recorder::count_from_self(const OpRecord& record, std::span<const Arg> args, ArgList& values) {
  const int k = record.storage_offset_arg;
  if (k == kNoArg || record.kind == Kind::view || args[static_cast<size_t>(k)].is_none()) return;
  const TensorState& self = state_of(*args[0].ref().handle());
  Int begin = self.offset;
  if (const int i = storages_.at(self.storage).input; i >= 0) {
    Input& in = inputs_[static_cast<size_t>(i)];
    in.fixed_offset = true;
    begin = begin + Int(in.handle.description.offset);
  }
  Arg& offset = values[static_cast<size_t>(k)];
  offset = Arg(offset.to_int() - begin);
}

void Recorder::note_fresh(const OpRecord& record, std::span<const Arg> args,
                          std::span<const Handle> results, const ir::Provenance& from) {
  // An op may give back the very tensor it was given, or an alias of it (contiguous, to, eval
  // dropout).
  for (const Handle& r : results) {
    if (knows(r.identity)) continue;
    for_each_ref(args, [&](const Ref& a) {
      if (a.handle()->storage == r.storage) add_alias(*a.handle(), r);
    });
  }
  bool all_known = !results.empty();
  for (const Handle& r : results) all_known &= knows(r.identity);
  if (all_known) return;
  ArgList given = with_values(args, from);
  count_from_self(record, args, given);
  ir::Node* node = noted_ = add(record, std::move(given), from);
  auto values = node->outputs();
  FRIT_INVARIANT(values.size() == results.size(),
                 record.full_name + " gave another number of results than its rule");
  for (size_t i = 0; i < values.size(); ++i) {
    // Sizes that the data decides: what they were.
    for (size_t d = 0; record.data_dependent && d < values[i]->sizes().size(); ++d)
      if (Int n = values[i]->sizes()[d]; n.is_symbolic() && !n.has_hint() && n.expr()->is_symbol())
        env_->set_hint(n, results[i].description.sizes[d]);
    check_agrees(*values[i], results[i], record);
    if (!knows(results[i].identity)) add_fresh(results[i], values[i]);
  }
  keep_args(node, args, false);
  keep_outs(node, results);
}

void Recorder::add_fresh(const Handle& h, ir::Value* v) {
  TensorState t;
  t.storage = h.storage;
  t.sizes = v->sizes();
  t.strides = v->strides();
  StorageState& s = storages_[h.storage];
  FRIT_INVARIANT(!s.base, "a fresh result in a storage that is known");
  s.base = v;
  t.value = v;
  t.generation = s.generation;
  host_.set_symbolic(h, t.sizes, t.strides, 0);
  tensors_[h.identity] = std::move(t);
}

void Recorder::add_alias(const Handle& same_as, const Handle& fresh) {
  TensorState t = state_of(same_as);
  t.input = -1;
  host_.set_symbolic(fresh, t.sizes, t.strides, t.offset);
  tensors_[fresh.identity] = std::move(t);
}

// What eager compares with the storage is a guard on sizes. Memory beyond an input, or in its gaps,
// is reached by way of its whole storage.
bool Recorder::within_base(const StorageState& s, const ArgList& as_strided,
                           const ir::Provenance& from) {
  Int needed = reach(as_strided[1].to_ints(), as_strided[2].to_ints(), as_strided[3].to_int());
  Int held = reach(s.base->sizes(), s.base->strides(), 0);
  if ((held == s.base->numel()).guard_or(false) && (needed <= held).guard_or(false)) return true;
  const Input* in = s.input >= 0 ? &inputs_[static_cast<size_t>(s.input)] : nullptr;
  if (in && !std::ranges::count(options_.grouped_storages, in->handle.storage)) {
    to_group_.push_back(in->handle.storage);
    stop({"aliased_inputs",
          "the storage of " + in->name +
              " is viewed beyond it; the capture begins again with it as a view of its storage",
          "", from.place(), false});
  } else {
    stop({"unsupported", "[as_strided] reaches memory that no tensor of the graph shows",
          "sizes and strides that stay inside the tensor", from.place(), false});
  }
  return false;
}

void Recorder::note_view(const OpRecord& record, std::span<const Arg> args,
                         std::span<const Handle> results, const ir::Provenance& from) {
  const Handle& self = *args[0].ref().handle();
  if (results.size() == 1 && results[0].storage != self.storage) {
    note_fresh(record, args, results, from);  // reshape and flatten copy where no view will do
    return;
  }
  TensorState& source = state_of(self);
  ArgList values = with_values(args, from);
  const std::vector<ViewStep>* chain = &source.chain;
  Int offset = source.offset;
  // as_strided counts from the start of the storage, not of the tensor: it is a view of the base.
  static const OpRecord& as_strided = find_op("as_strided");
  std::vector<ViewStep> none;
  if (&record == &as_strided) {
    StorageState& s = storages_.at(source.storage);
    bool absolute = !args[3].is_none();
    if (absolute && s.input >= 0 && inputs_[static_cast<size_t>(s.input)].of_group < 0) {
      Input& in = inputs_[static_cast<size_t>(s.input)];
      if (in.handle.description.offset != 0) {
        to_group_.push_back(in.handle.storage);
        stop({"aliased_inputs",
              "the storage of " + in.name +
                  " is viewed beyond it; the capture begins again with it as a view of its storage",
              "", from.place(), false});
        return;
      }
      in.fixed_offset = true;
    }
    values[0] = Arg(s.base);
    if (!absolute) values[3] = Arg(source.offset);
    if (!within_base(s, values, from)) return;
    chain = &none;
    offset = 0;
  }
  // The rule is run on the tensor's own layout, for the offset of the result.
  ir::Node* node = noted_ = add(record, values, from);
  auto outs = node->outputs();
  FRIT_INVARIANT(outs.size() == results.size(),
                 record.full_name + " gave another number of views than its rule");
  ShapeCtx<Int> shape(record, values);
  record.shape_symbolic(shape);
  for (size_t i = 0; i < outs.size(); ++i) {
    if (knows(results[i].identity)) continue;
    check_agrees(*outs[i], results[i], record);
    TensorState t;
    t.storage = source.storage;
    if (!fault(Fault::view_of_wrong_base)) t.chain = *chain;
    t.chain.push_back({&record,
                       values,
                       {&record, static_cast<int>(i), from.place()},
                       storages_.at(source.storage).writes});
    t.value = outs[i];
    t.generation = storages_.at(source.storage).generation;
    t.sizes = outs[i]->sizes();
    t.strides = outs[i]->strides();
    t.offset = (fault(Fault::view_offset) ? Int(0) : offset) + shape.outs()[i].offset;
    host_.set_symbolic(results[i], t.sizes, t.strides, t.offset);
    // Where a view of no elements begins can come from the stride of a dimension of size 1.
    const int in = storages_.at(t.storage).input;
    if (in >= 0 && known_zero(outs[i]->numel()) && !known_zero(shape.outs()[i].offset))
      inputs_[static_cast<size_t>(in)].exact_strides = true;
    tensors_[results[i].identity] = std::move(t);
  }
}

// The tensor object becomes a view of what it showed.
void Recorder::note_view_in_place(const OpRecord& view, std::span<const Arg> args,
                                  const Handle& self, const ir::Provenance& from) {
  TensorState before = state_of(self);
  StorageState& s = storages_.at(before.storage);
  if (before.input >= 0 || s.input >= 0) {
    stop({"unsupported",
          "[" + view.schema.name +
              "_] changes the sizes of a tensor that comes from outside, which is no graph's to do",
          view.schema.name + "(), which gives a new view", from.place(), false});
    return;
  }
  if (!from.grad && self.description.requires_grad) {
    stop({"unsupported",
          "[" + view.schema.name +
              "_] changes the sizes of a tensor with a gradient, and gradients are off",
          view.schema.name + "(), which gives a new view, or write it outside of the NoGrad guard",
          from.place(), false});
    return;
  }
  // The same as a view under another identity that then takes this one's place.
  Handle result = self;
  result.identity = kSeparate | self.identity;
  note_view(view, args, std::span<const Handle>(&result, 1), from);
  if (stopped_) return;
  tensors_[self.identity] = std::move(tensors_.at(result.identity));
  tensors_.erase(result.identity);
  if (before.chain.empty() || before.reshaped)
    tensors_.at(self.identity).reshaped = storages_.at(before.storage).generation;
  // The contents stay, yet eager counts it: what was kept of this memory may not be used any more.
  ++s.writes;
  for (KeptIn& k : kept_) {
    if (k.object != self.identity) continue;
    k.kept.shown_sizes = tensors_.at(self.identity).sizes;
    if (from.grad && self.description.requires_grad) k.object = 0;  // it gets a history
  }
}

void Recorder::note_written(const OpRecord& record, std::span<const Arg> args,
                            std::span<const Handle> results, const ir::Provenance& from) {
  FRIT_INVARIANT(record.functional, record.full_name + " writes and has no functional form");
  const OpRecord& functional = *record.functional;
  if (functional.kind == Kind::view) return note_view_in_place(functional, args, results[0], from);
  // Which arguments are written, in the order of the results they become.
  SmallVector<size_t, 2> written;
  for (size_t i = 0; i < record.schema.args.size(); ++i)
    if (record.schema.args[i].is_written) written.push_back(i);
  size_t count = functional.schema.args.size();
  ir::Node* node = noted_ = add(functional, with_values(args.subspan(0, count), from), from);
  auto values = node->outputs();
  const ArgList before = node->args();
  // Eager keeps a copy of what it overwrites.
  keep_args(node, args.subspan(0, count), record.form == Form::inplace);
  for (size_t i = 0; i < written.size() && i < values.size(); ++i) {
    const Handle& target = *args[written[i]].ref().handle();
    TensorState& t = state_of(target);
    bool fits = t.sizes.size() == values[i]->sizes().size();
    for (size_t d = 0; fits && d < t.sizes.size(); ++d)
      fits = sizes_agree(t.sizes[d], values[i]->sizes()[d]);
    if (!fits) {
      stop({"unsupported", "[" + record.schema.name + "] resizes the output it is given",
            "give an output of the result's sizes", from.place(), false});
      return;
    }
    History history = history_of(record, target, args, before, from);
    if (DType d = target.description.dtype;
        record.form == Form::inplace && functional.vjp && is_floating(d) && values[i]->dtype() != d)
      graph_->set_written_as(node, d);
    if (record.form == Form::inplace && target.description.requires_grad)
      history.through = in_own_dtype(*node, target.description.dtype, from);
    write(t, values[i], {&functional, static_cast<int>(i), from.place()}, from, std::move(history));
    if (stopped_) return;
    // What is written gets a history: eager goes on with a tensor of its own, as it is now.
    if (from.grad && record.form == Form::inplace && record.differentiable && i < results.size() &&
        results[i].description.requires_grad)
      for (KeptIn& k : kept_)
        if (k.object == target.identity) k.object = 0;
    if (i < results.size() && !knows(results[i].identity)) add_alias(target, results[i]);
  }
  keep_outs(node, results);
}

// An op that was asked for another dtype than that of what it is written to: the tape knows nothing
// of it, and the gradient is that of the op in the written tensor's dtype.
Ref Recorder::in_own_dtype(const ir::Node& n, DType target, const ir::Provenance& from) {
  int dtype = n.record().schema.find("dtype");
  if (dtype < 0 || !from.grad || !n.record().differentiable || !is_floating(target) ||
      n.output()->dtype() == target)
    return {};
  if (n.record().saves_outs != 0) {
    stop({"unsupported",
          "[" + n.record().schema.name +
              "_] is asked for a dtype that is not the written tensor's, and its gradient is made "
              "of what is written",
          "the op without a dtype, or the form that makes a new tensor", from.place(), false});
    return {};
  }
  ArgList args = n.args();
  args[static_cast<size_t>(dtype)] = Arg(target);
  return add(n.record(), std::move(args), from)->output();
}

Recorder::History Recorder::history_of(const OpRecord& record, const Handle& target,
                                       std::span<const Arg> args, const ArgList& values,
                                       const ir::Provenance& from) {
  History h;
  if (!is_floating(target.description.dtype)) return h;
  if (!from.grad || record.form == Form::out || !record.differentiable) {
    h.kept = target.description.requires_grad;
  } else if (!record.functional->differentiable) {
    for (size_t i = 0; i < values.size(); ++i)
      if (args[i].is_ref() && args[i].ref().defined() &&
          args[i].ref().handle()->description.requires_grad)
        h.flat.push_back(values[i].ref());
  }
  return h;
}

ir::Value* Recorder::with_history(ir::Value* v, Ref kept, std::vector<Ref> flat,
                                  ir::Provenance from) {
  from.grad = true;
  Arg of = kept.defined() ? Arg(std::move(kept)) : Arg();
  return add(find_op("_history"), {Arg(v), std::move(of), Arg(std::move(flat))}, from)->output();
}

// A value written to a tensor takes that tensor's dtype and layout, whatever computed it.
void Recorder::write(TensorState& t, ir::Value* updated, const ir::Maker& by,
                     const ir::Provenance& from, History history) {
  StorageState& s = storages_.at(t.storage);
  if (s.input >= 0) {
    const Handle& h = inputs_[static_cast<size_t>(s.input)].handle;
    auto siblings = inputs_of_storage_.find(h.storage);
    if (siblings != inputs_of_storage_.end() && siblings->second.size() > 1) {
      to_group_.push_back(h.storage);
      stop({"aliased_inputs",
            inputs_[static_cast<size_t>(s.input)].name +
                " is written and shares memory with another input; the capture begins again with "
                "both as views of one storage",
            "", from.place(), false});
      return;
    }
    const Dims &sizes = h.description.sizes, &strides = h.description.strides;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] > 1 && strides[i] == 0) {
        stop({"unsupported",
              inputs_[static_cast<size_t>(s.input)].name +
                  " is written, and more than one of its elements lie in one place",
              "clone() it first", from.place(), false});
        return;
      }
  }
  auto fitted = [&](ir::Value* old, ir::Value* v) {
    bool same = v->dtype() == old->dtype() && v->sizes().size() == old->sizes().size();
    for (size_t i = 0; same && i < old->sizes().size(); ++i)
      same = v->sizes()[i].same_as(old->sizes()[i]) && v->strides()[i].same_as(old->strides()[i]);
    if (same) return v;
    // Of the old value this is the layout alone: its gradient is what the op makes it.
    if (from.grad && is_floating(old->dtype()))
      old = add(find_op("detach"), {Arg(old)}, from)->output();
    return add(find_op("copy"), {Arg(old), Arg(v), Arg(false)}, from)->output();
  };
  // Bases of each level, outermost first; then the update is carried back through the views.
  std::vector<ir::Value*> levels{s.base};
  if (fault(Fault::write_order) && s.input >= 0)
    levels[0] = graph_->inputs()[static_cast<size_t>(s.input)];
  for (size_t i = 0; i + 1 < t.chain.size(); ++i) {
    ArgList args = t.chain[i].args;
    args[0] = Arg(levels.back());
    levels.push_back(add(*t.chain[i].record, std::move(args), from)->output());
  }
  // Parts of a view that shows elements more than once are written as places of the base.
  const bool by_places = std::any_of(levels.begin() + 1, levels.end(),
                                     [](const ir::Value* v) { return shows_twice(*v); });
  ir::Value* self = current(t, from);
  updated = fitted(self, updated);
  if (!history.flat.empty()) updated = with_history(updated, {}, std::move(history.flat), from);
  if (history.through.defined())
    updated = with_history(updated, std::move(history.through), {}, from);
  ir::Value* whole = updated;
  ir::BuilderCaller builder(*graph_, from);
  if (by_places)
    whole = fitted(
        s.base,
        builder.op<"as_strided_scatter">(Ref(s.base), Ref(whole), t.sizes, t.strides, t.offset)
            .value());
  for (size_t i = by_places ? 0 : t.chain.size(); i-- > 0;) {
    const ViewStep& step = t.chain[i];
    FRIT_INVARIANT(step.record->view_inverse, step.record->full_name + " has no inverse");
    ArgList args = step.args;
    args[0] = Arg(levels[i]);
    whole = fitted(levels[i],
                   step.record->view_inverse(builder, Ref(levels[i]), Ref(whole), args).value());
  }
  // An input with a history that is written is left to eager where gradients are wanted.
  if (history.kept && s.input < 0) {
    whole = with_history(whole, Ref(s.base), {}, from);
    updated = t.chain.empty() ? whole : nullptr;  // a view is derived again when it is read
  }
  if (s.input < 0 && !lie_alike(*whole, *s.base)) {
    stop({"unsupported",
          "a tensor whose memory has gaps, or one place for several elements, is written",
          "contiguous() first", from.place(), false});
    return;
  }
  s.maker = !history.kept ? by : t.reshaped ? maker_of(t) : maker_of(s);
  if (!history.kept) s.maker.by_slices = !t.chain.empty() && !t.reshaped;
  s.base = whole;
  if (!fault(Fault::stale_alias)) ++s.generation;
  ++s.writes;
  // Views of it are views of its own layout: where the update has another one, it is read back.
  bool own_layout = updated != nullptr;
  for (size_t i = 0; own_layout && i < t.strides.size(); ++i)
    own_layout = updated->strides()[i].same_as(t.strides[i]);
  if (own_layout || (updated && t.chain.empty())) {
    t.value = updated;
    t.generation = s.generation;
  }
  if (s.input >= 0) {
    const ir::Value& in = *graph_->inputs()[static_cast<size_t>(s.input)];
    for (size_t i = 0; i < in.strides().size(); ++i)
      s.laid_out_anew = s.laid_out_anew || !whole->strides()[i].same_as(in.strides()[i]);
  }
  if (s.input >= 0 && !(fault(Fault::lost_write_back) && !t.chain.empty()))
    inputs_[static_cast<size_t>(s.input)].written = true;
}

Int Recorder::define_symbol(const Handle& scalar, std::optional<int64_t> seen,
                            const ir::Provenance& from) {
  ir::Value* v = current(state_of(scalar), from);
  SourceLocation where = from.place();
  Int u = env_->new_unbacked("item_int()", where, sym::kMinusInf, sym::kPlusInf, seen);
  ir::Node* n = graph_->add(find_op("_item_int"), {Arg(v)}, from);
  graph_->set_defines(n, u);
  return u;
}

std::unique_ptr<ir::Graph> Recorder::finish(std::span<const Handle> returned) {
  FRIT_INVARIANT(!stopped_, "a stopped recording has no graph");
  std::unordered_map<uint64_t, int>
      base_output;  // storages made here: the output that holds the base
  for (const Handle& h : returned) {
    TensorState& t = state_of(h);
    StorageState& s = storages_.at(t.storage);
    ir::Output o;
    o.requires_grad = h.description.requires_grad;
    o.sizes = t.sizes;
    o.strides = t.strides;
    o.offset = t.offset;
    if (s.input >= 0) {
      o.kind = t.input >= 0 ? ir::Output::Kind::input : ir::Output::Kind::view_of_input;
      o.of = t.input >= 0 ? t.input : s.input;
      inputs_[static_cast<size_t>(o.of)].aliased = true;
      graph_->outputs.push_back(o);
      continue;
    }
    auto holder = base_output.find(t.storage);
    if (t.chain.empty() && holder == base_output.end()) {
      o.value = s.base;
      o.bumps = s.writes;
      base_output[t.storage] = static_cast<int>(graph_->outputs.size());
    } else {
      o.kind = ir::Output::Kind::view_of_output;
      o.of = holder == base_output.end() ? -1 : holder->second;
    }
    graph_->outputs.push_back(o);
  }
  // Views whose base nobody returned: the base is an output of its own, after the asked-for ones.
  for (size_t i = 0; i < returned.size(); ++i) {
    ir::Output& o = graph_->outputs[i];
    if (o.kind != ir::Output::Kind::view_of_output || o.of >= 0) continue;
    uint64_t storage = tensors_.at(returned[i].identity).storage;
    auto [holder, fresh] = base_output.emplace(storage, static_cast<int>(graph_->outputs.size()));
    o.of = holder->second;
    if (fresh) {
      ir::Output base;
      base.value = storages_.at(storage).base;
      base.bumps = storages_.at(storage).writes;
      base.sizes = base.value->sizes();
      base.strides = base.value->strides();
      graph_->outputs.push_back(base);
    }
  }
  settle_kept(base_output);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].written) continue;
    for (const auto& [key, s] : storages_)
      if (s.input == static_cast<int>(i)) {
        ir::Effect e;
        e.kind = ir::Effect::Kind::write_input;
        e.value = s.base;
        e.input = static_cast<int>(i);
        e.bumps = s.writes;
        graph_->effects.push_back(e);
      }
  }
  if (!(rng_blocks_.is_constant() && rng_blocks_.constant() == 0)) {
    ir::Effect e;
    e.kind = ir::Effect::Kind::advance_rng;
    e.blocks = fault(Fault::random_advance) ? Int(1) : rng_blocks_;
    graph_->effects.push_back(e);
  }
  auto asserts = env_->runtime_asserts();
  for (size_t i = asserts_before_; i < asserts.size(); ++i)
    graph_->asserts.push_back({Bool(asserts[i].condition), asserts[i].message, asserts[i].where});
  graph_->refresh_uses();
  ir::verify_structure(*graph_);  // what its nodes give, their rules have just said
  return std::move(graph_);
}

}  // namespace frit::trace
