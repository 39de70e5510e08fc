#include "rules.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace frit::test {
namespace {

ArgList complete(const OpRecord& r, ArgList args) {
  for (size_t i = 0; i < args.size(); ++i) args[i] = canonical(r.schema, i, std::move(args[i]));
  for (size_t i = args.size(); i < r.schema.args.size(); ++i) {
    EXPECT_TRUE(r.schema.args[i].has_default) << r.full_name << " needs " << r.schema.args[i].name;
    args.push_back(r.schema.args[i].default_value);
  }
  return args;
}

// Runs rules and makes outputs of what they say, with symbolic sizes where the inputs have them.
class RuleCaller final : public Caller {
 public:
  explicit RuleCaller(bool symbolic) : symbolic_(symbolic) {}
  const std::shared_ptr<sym::ShapeEnv> env = std::make_shared<sym::ShapeEnv>();
  std::string ran;
  bool share = false;

  RefList call(const OpRecord& r, std::span<const Arg> args) override {
    if (r.form == Form::functional && r.kind == Kind::composite && !r.vjp && !r.shape)
      return r.decomp(*this, args);
    if (r.form != Form::functional && !r.functional->shape)
      return r.functional->decomp(*this, args);
    ran += (ran.empty() ? "" : "; ") + r.full_name;
    return symbolic_ ? outputs<Int>(r, args, r.shape_symbolic) : outputs<int64_t>(r, args, r.shape);
  }

  Tensor with_symbols(const Tensor& t) {
    Tensor u = empty_strided_cpu(t.impl()->sizes, t.impl()->strides, t.dtype());
    auto m = std::make_unique<SymbolicMeta>();
    for (int64_t n : t.impl()->sizes) m->sizes.push_back(size_symbol(n));
    m->strides = strides(t, m->sizes);
    u.impl()->symbolic = std::move(m);
    return u;
  }

 private:
  // Sizes that are equal are one symbol where the caller says so: equal sizes that must agree are
  // then known to.
  Int size_symbol(int64_t n) {
    if (n < 2 || (share && n == kFixedSize)) return Int(n);
    if (!share) return env->new_symbol(n, 2, std::nullopt, "x");
    auto [it, fresh] = by_size_.try_emplace(n);
    if (fresh) it->second = env->new_symbol(n, 2, std::nullopt, "size" + std::to_string(n));
    return it->second;
  }

  // Products of the symbols where the layout is dense, else symbols of their own.
  IntList strides(const Tensor& t, const IntList& sizes) {
    const Dims &n = t.impl()->sizes, &st = t.impl()->strides;
    IntList result(st.size(), Int(0));
    std::vector<size_t> order(st.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return st[a] != st[b] ? st[a] < st[b] : a > b; });
    int64_t expected = 1;
    Int running = 1;
    for (size_t d : order) {
      if (st[d] == expected) {
        result[d] = running;
        expected *= std::max<int64_t>(n[d], 1);
        running = running * (n[d] < 2 ? Int(1) : sizes[d]);
      } else {
        result[d] = st[d] < 2 ? Int(st[d]) : env->new_symbol(st[d], 2, std::nullopt, "stride");
        expected = st[d] * n[d];
        running = result[d] * sizes[d];
      }
    }
    return result;
  }

  static int64_t value(int64_t v) { return v; }
  static int64_t value(Int v) { return v.has_hint() ? v.hint() : kUnknown; }
  static constexpr int64_t kUnknown = 7;

 public:
  template <class I>
  RefList outputs(const OpRecord& r, std::span<const Arg> args, const ShapeRule<I>& shape) {
    ShapeCtx<I> s(r, args);
    s.set_env(env.get());
    shape(s);
    RefList out;
    for (const OutMeta<I>& o : s.outs()) {
      Dims sizes, strides;
      for (const I& v : o.sizes) sizes.push_back(value(v));
      for (const I& v : o.strides) strides.push_back(value(v));
      Tensor t = empty_strided_cpu(sizes, strides, o.dtype);
      if constexpr (std::is_same_v<I, Int>) {
        auto m = std::make_unique<SymbolicMeta>();
        m->sizes = o.sizes, m->strides = o.strides;
        t.impl()->symbolic = std::move(m);
      }
      out.push_back(Ref(std::move(t)));
    }
    if (r.data_dependent && out.empty()) {
      for (size_t i = 0; i < r.schema.returns.size(); ++i)
        out.push_back(Ref(empty_cpu(Dims{kUnknown, 2}, DType::i64)));
    }
    return out;
  }

 private:
  std::map<int64_t, Int> by_size_;
  bool symbolic_;
};

std::string text(const RefList& outs) {
  std::string all;
  for (const Ref& r : outs) {
    if (!all.empty()) all += "; ";
    if (!r.defined()) {
      all += "none";
      continue;
    }
    const TensorImpl& t = *r.tensor().impl();
    all += std::string(short_name(t.dtype)) + dims_text(t.sizes);
    if (!(t.strides == contiguous_strides<int64_t>(t.sizes))) all += " " + dims_text(t.strides);
  }
  return all;
}

Arg symbolic(RuleCaller& c, const Arg& a) {
  if (a.is_ref()) return Arg(c.with_symbols(a.ref().tensor()));
  if (a.is_ref_list()) {
    std::vector<Ref> list;
    for (const Ref& r : a.refs())
      list.push_back(r.defined() ? Ref(c.with_symbols(r.tensor())) : Ref());
    return Arg(std::move(list));
  }
  return a;
}

struct Outcome {
  std::string text, ran;
  bool failed = false;
};

Outcome run(const OpRecord& r, const ArgList& args, bool with_symbols) {
  RuleCaller c(with_symbols);
  Outcome o;
  try {
    ArgList list;
    for (const Arg& a : args) list.push_back(with_symbols ? symbolic(c, a) : a);
    o.text = text(c.call(r, complete(r, std::move(list))));
  } catch (const UserError& e) {
    o.failed = true;
    o.text = "[" + e.op() + "] " + e.message();
  }
  o.ran = c.ran;
  return o;
}

}  // namespace

Tensor make(DType t, Dims sizes, std::optional<Dims> strides) {
  return empty_strided_cpu(sizes, strides ? *strides : contiguous_strides<int64_t>(sizes), t);
}

std::string rule(std::string_view op, ArgList args) {
  const OpRecord& r = find_op(op);
  Outcome plain = run(r, args, false), symbols = run(r, args, true);
  // Errors name sizes, which are symbols then: that both fail is enough.
  bool same = plain.failed ? symbols.failed : plain.text == symbols.text;
  if (same) return plain.text;
  return "int64: " + plain.text + ", symbolic: " + symbols.text;
}

std::string decomposition_fault(std::string_view op, ArgList given) {
  const OpRecord& r = find_op(op);
  RuleCaller c(true);
  c.share = true;
  try {
    ArgList list;
    for (const Arg& a : given) list.push_back(symbolic(c, a));
    list = complete(r, std::move(list));
    std::string wanted = text(c.outputs<Int>(r, list, r.shape_symbolic));
    std::string parts = text(r.decomp(c, list));
    if (wanted != parts) return "the rule gives " + wanted + ", the parts " + parts;
    return c.env->guards_text();
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::string gradients_of(std::string_view op, ArgList given) {
  const OpRecord& r = find_op(op);
  RuleCaller c(true);
  c.share = true;
  ArgList args;
  for (const Arg& a : given) args.push_back(symbolic(c, a));
  args = complete(r, std::move(args));
  RefList outs = c.outputs<Int>(r, args, r.shape_symbolic);
  const size_t n = args.size();
  std::vector<TensorMeta<Int>> arg_metas(n), out_metas;
  std::vector<std::vector<TensorMeta<Int>>> list_metas(n);
  auto wanted = std::make_unique<bool[]>(n);
  ArgList saved = args;
  for (size_t i = 0; i < n; ++i) {
    bool keep = r.saves_args >> i & 1;
    if (args[i].is_ref()) {
      arg_metas[i] = meta(args[i].ref());
      wanted[i] = is_floating(arg_metas[i].dtype);
      if (!keep) saved[i] = Arg();
    } else if (args[i].is_ref_list()) {
      for (const Ref& t : args[i].refs())
        list_metas[i].push_back(t.defined() ? meta(t) : TensorMeta<Int>());
      for (const Ref& t : args[i].refs())
        wanted[i] = wanted[i] || (t.defined() && is_floating(meta(t).dtype));
      if (!keep) saved[i] = Arg();
    }
  }
  std::vector<Ref> grads;
  RefList saved_outs(outs.size());
  for (size_t i = 0; i < outs.size(); ++i) {
    out_metas.push_back(meta(outs[i]));
    grads.push_back(is_floating(out_metas[i].dtype) ? outs[i] : Ref());
    if (r.saves_outs >> i & 1) saved_outs[i] = outs[i];
  }
  VjpCtx v{c, r, grads, saved, saved_outs, arg_metas, out_metas, list_metas, {wanted.get(), n}};
  std::string all;
  GradList result = r.vjp(v);
  for (size_t i = 0; i < result.size(); ++i) {
    if (!wanted[i]) continue;
    if (!all.empty()) all += "; ";
    if (result[i].is_ref_list()) {
      const auto& list = result[i].refs();
      all += text(RefList(list.begin(), list.end()));
    } else {
      all += text(RefList{result[i].ref()});
    }
  }
  return all + c.env->guards_text();
}

std::string parts_of(std::string_view op, ArgList args) { return run(find_op(op), args, true).ran; }

}  // namespace frit::test
