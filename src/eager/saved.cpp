// What a node keeps for the backward pass, and running a record's vjp on it.
#include "eager/autograd_meta.h"
#include "eager/dispatch.h"
#include "eager/intercept.h"

namespace frit::eager {
namespace {

// "MulBackward" from "mul", "LogSoftmaxBackward" from "_log_softmax".
std::string camel_case(std::string_view op) {
  std::string text;
  bool upper = true;
  for (char c : op) {
    if (c == '_') {
      upper = true;
    } else {
      text += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return text;
}

// A vjp gets every saved tensor, but may not need those that were written since: only the use of
// one is an error.
class CheckedCaller final : public Caller {
 public:
  explicit CheckedCaller(const TapeNode& owner) : owner_(owner) {}
  void watch(const Tensor& t, const SavedTensor& saved) { stale_.push_back({t, &saved}); }
  void check(const Ref& r) const {
    for (const Stale& s : stale_)
      if (s.tensor.is_same(r.tensor())) s.saved->fail_stale(owner_);
  }
  RefList call(const OpRecord& record, std::span<const Arg> args) override {
    if (!stale_.empty()) for_each_ref(args, [&](const Ref& r) { check(r); });
    return caller_.call(record, args);
  }
  bool on_tape() const override { return caller_.on_tape(); }
  Ref expanded(const Ref& t, std::span<const Int> sizes) override {
    check(t);
    return caller_.expanded(t, sizes);
  }

 private:
  struct Stale {
    Tensor tensor;
    const SavedTensor* saved;
  };
  const TapeNode& owner_;
  EagerCaller caller_;
  SmallVector<Stale, 1> stale_;
};

}  // namespace

SavedTensor::SavedTensor(Tensor t, int output_of) {
  if (!t.defined()) return;
  TensorImpl& i = *t.impl();
  version_ = i.storage->version();
  AutogradMeta* m = meta_of(i);
  if (output_of >= 0 && m && m->maker) {
    output_of_ = output_of;
    data_ = alias_view(t, i.sizes, i.strides, i.offset);
    original_ = WeakPtr<TensorImpl>(t.ptr());
  } else if (m && m->wants_grad && !m->view) {
    data_ = std::move(t);  // a leaf: nothing writes it a history
  } else if (m && m->view) {
    data_ = stand_in(t);  // the view holds its base, which may get one
  } else {
    m = &ensure_meta(i);
    std::lock_guard lock(tape_mutex(i));
    input_ = m->saved.lock();
    if (!input_) {
      input_ = make_ptr<SavedInput>(std::move(t));
      m->saved = WeakPtr<SavedInput>(input_);
    }
  }
}

void SavedTensor::refuse_inference(const Tensor& t, std::string_view op) {
  if (!t.defined() || !t.impl()->storage->is_inference()) [[likely]]
    return;
  throw UserError(ErrorKind::runtime, op,
                  "Inference tensors cannot be saved for backward. Please do not use Tensors "
                  "created in inference mode in computation tracked by autograd.",
                  "clone() gives a normal tensor; NoGrad in place of InferenceMode makes such");
}

SavedTensor SavedTensor::own(Tensor t) {
  SavedTensor s;
  s.version_ = t.version();
  s.data_ = std::move(t);
  return s;
}

Tensor SavedTensor::unpack_unchecked(const TapeNode& owner) const {
  if (output_of_ < 0) return kept();
  if (Ptr<TensorImpl> original = original_.lock()) {
    Tensor t(original);
    const AutogradMeta* meta = meta_of(*original);
    bool same = meta && meta->maker.get() == &owner &&
                meta->output_index == static_cast<uint32_t>(output_of_);
    // A view that was written has its base's history, which leads here.
    if (same || (meta && meta->view && !stale())) return t;
  }
  if (!(t_state.word & kGradEnabled)) return data_;
  Tensor t = alias_view(data_, data_.impl()->sizes, data_.impl()->strides, data_.impl()->offset);
  AutogradMeta& meta = ensure_meta(*t.impl());
  meta.maker = Ptr<TapeNode>(const_cast<TapeNode*>(&owner));
  meta.output_index = static_cast<uint32_t>(output_of_);
  meta.requires_grad = true;
  return t;
}

Tensor SavedTensor::unpack(const TapeNode& owner) const {
  if (stale()) fail_stale(owner);
  return unpack_unchecked(owner);
}

void fail_stale(const StaleText& t, const std::string& owner, SourceLocation where) {
  std::string text =
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [" +
      std::string(name(t.dtype)) + " " + dims_text(t.sizes) + "]";
  if (!t.maker.empty()) {
    text += ", which is output " + std::to_string(t.maker_output) + " of " + t.maker;
    if (t.made_at) text += " (" + t.made_at.text() + ")";
  }
  text += ", is at version " + std::to_string(t.version) + "; expected version " +
          std::to_string(t.expected) + " instead. " + owner + " needs it.";
  throw UserError(ErrorKind::runtime, "backward", std::move(text),
                  "write to a clone(), or use the op that is not in place", where);
}

StaleText SavedTensor::stale_text() const {
  const TensorImpl& i = *kept().impl();
  StaleText text{i.dtype, i.sizes};
  if (const AutogradMeta* meta = meta_of(i); meta && meta->maker) {
    text.maker = meta->maker->name();
    text.maker_output = static_cast<int>(meta->output_index);
    text.made_at = meta->maker->where();
  }
  text.version = static_cast<int64_t>(kept().version());
  text.expected = static_cast<int64_t>(version_);
  return text;
}

void SavedTensor::fail_stale(const TapeNode& owner) const {
  StaleText text = stale_text();
  if (output_of_ >= 0) {
    text.maker = owner.name();
    text.maker_output = output_of_;
  }
  eager::fail_stale(text, owner.name(), owner.where());
}

std::string backward_name(const OpRecord& r) { return camel_case(r.schema.name) + "Backward"; }

std::string OpNode::name() const { return backward_name(info_->record); }

void OpNode::save_args(std::span<const Arg> args, const Tensor& self_copy) {
  const OpRecord& r = info_->record;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!(r.saves_args >> i & 1)) continue;
    const Arg& a = args[i];
    if (a.is_ref()) {
      const Tensor& t = i == 0 && self_copy.defined() ? self_copy : a.ref().tensor();
      SavedTensor::refuse_inference(t, r.schema.name);
      saved_.push_back({static_cast<int16_t>(i), -1, SavedTensor(t)});
    } else if (a.is_ref_list()) {
      for (size_t j = 0; j < a.refs().size(); ++j)
        if (a.refs()[j].defined()) {
          SavedTensor::refuse_inference(a.refs()[j].tensor(), r.schema.name);
          saved_.push_back({static_cast<int16_t>(i), static_cast<int16_t>(j),
                            SavedTensor(a.refs()[j].tensor())});
        }
    }
  }
}

void OpNode::save_outs(std::span<const Tensor> outs) {
  for (size_t i = 0; i < outs.size(); ++i)
    if (info_->record.saves_outs >> i & 1)
      saved_.push_back({-1, static_cast<int16_t>(i), SavedTensor(outs[i], static_cast<int>(i))});
}

void OpNode::tell_aliases(std::span<const Arg> args, std::span<const Tensor> outs) const {
  TapeObserver* o = tape_observer();
  if (!o) return;
  for (const Saved& s : saved_) {
    const Tensor& given =
        s.arg < 0 ? outs[static_cast<size_t>(s.element)]
        : s.element < 0
            ? args[static_cast<size_t>(s.arg)].ref().tensor()
            : args[static_cast<size_t>(s.arg)].refs()[static_cast<size_t>(s.element)].tensor();
    const Tensor& kept = s.tensor.kept();
    if (!kept.is_same(given) && kept.shares_storage_with(given)) o->aliased(given, kept);
  }
}

void OpNode::release_saved() {
  if (!saved_.empty()) freed_ = true;
  saved_.clear();
}

void OpNode::apply(TapeRun& run) {
  if (freed_) saved_freed();
  const OpRecord& r = info_->record;
  if (!r.vjp)
    throw UserError(ErrorKind::not_implemented, r.schema.name,
                    "derivative for " + r.full_name + " is not implemented",
                    "detach() its input, or write the op in others that have one", where());
  CheckedCaller caller(*this);
  ArgList args = info_->numbers();
  RefList outs(info_->outs.size());
  for (const Saved& s : saved_) {
    Tensor t = s.tensor.unpack_unchecked(*this);
    if (s.tensor.stale()) caller.watch(t, s.tensor);
    if (s.arg < 0) {
      outs[static_cast<size_t>(s.element)] = Ref(std::move(t));
    } else if (s.element < 0) {
      args[static_cast<size_t>(s.arg)] = Arg(std::move(t));
    } else {
      Arg& list = args[static_cast<size_t>(s.arg)];
      std::vector<Ref> refs = list.refs();
      refs[static_cast<size_t>(s.element)] = Ref(std::move(t));
      list = Arg(std::move(refs));
    }
  }
  RefList grads;
  for (Tensor& g : run.grads) grads.emplace_back(std::move(g));
  auto arg_metas = info_->arg_metas();
  auto out_metas = info_->out_metas();
  auto list_metas = info_->list_metas();
  SmallVector<bool, 8> wanted(args.size(), false);
  size_t edge = 0;
  info_->for_each_tensor([&](size_t arg, int) {
    if (run.wanted[edge++]) wanted[arg] = true;
  });

  VjpCtx ctx{caller, r, grads, args, outs, arg_metas, out_metas, list_metas, wanted};
  // What a rule makes is nobody else's: its views are not followed, unless it is differentiated.
  const bool seen = recording() || (t_state.word & kGradEnabled);
  BitScope views(kViewsUnseen, seen ? 0u : uint32_t{kViewsUnseen});
  GradList results = r.vjp(ctx);
  FRIT_INVARIANT(results.size() <= args.size(), r.full_name + " has more gradients than arguments");
  edge = 0;
  info_->for_each_tensor([&](size_t arg, int element) {
    size_t e = edge++;
    if (!run.wanted[e] || arg >= results.size()) return;
    const Arg& g = results[arg];
    if (g.is_none()) return;
    const Ref& ref = element < 0 ? g.ref() : g.refs()[static_cast<size_t>(element)];
    if (!ref.defined()) return;
    caller.check(ref);
    run.results[e] = ref.tensor();
  });
}

}  // namespace frit::eager
