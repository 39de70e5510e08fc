#include "adapters/torch/host.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/torch/gradients.h"
#include "adapters/torch/layouts.h"
#include "core/layout.h"
#include "frame/walk/made_once.h"
#include "kernels/cpu/kernels.h"

namespace frit::torch {
namespace {

using python::checked;

constexpr const char* kPlace = "frit.place";  // of a tensor in a call's arguments

Ref get(PyObject* o, const char* name) {
  return Ref::take(checked(PyObject_GetAttrString(o, name)));
}

// Writes that torch's schemas do not mark.
bool writes_unmarked(const AtenOp& op, const std::string& argument) {
  return (op.name == "native_batch_norm" || op.name == "_native_batch_norm_legit" ||
          op.name == "_batch_norm_with_update" || op.name == "cudnn_batch_norm") &&
         (argument == "running_mean" || argument == "running_var");
}

AtenOp read_schema(PyObject* overload) {
  AtenOp op;
  Ref full = Ref::take(checked(PyObject_CallMethod(overload, "name", nullptr)));
  std::string name = walk::text_of(full.get());
  op.of_aten = name.starts_with("aten::");
  if (const size_t colons = name.find("::"); colons != std::string::npos) name.erase(0, colons + 2);
  op.name = name;
  if (op.of_aten) op.record = registry().find(name);
  Ref schema = get(overload, "_schema");
  Ref arguments = get(schema.get(), "arguments");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arguments.get()); ++i) {
    PyObject* a = PyList_GET_ITEM(arguments.get(), i);
    Ref alias = get(a, "alias_info");
    Ref argument = get(a, "name");
    op.names.push_back(walk::text_of(argument.get()));
    op.sizes.push_back(true);
    op.written.push_back(
        (alias.get() != Py_None && get(alias.get(), "is_write").get() == Py_True) ||
        writes_unmarked(op, op.names.back()));
  }
  Ref text = Ref::take(checked(PyObject_Str(schema.get())));
  try {
    // Only its text tells numbers from sizes.
    std::string t = walk::text_of(text.get());
    if (const size_t colons = t.find("::"); colons != std::string::npos) t.erase(0, colons + 2);
    const Schema s = parse_schema(t);
    for (size_t i = 0; i < s.args.size() && i < op.sizes.size(); ++i)
      op.sizes[i] = s.args[i].symbolic;
  } catch (const std::exception&) {
    // Of types that Frit has not: any of its arguments may be one.
  }
  Ref tags = get(overload, "tags");
  Ref it = Ref::take(checked(PyObject_GetIter(tags.get())));
  while (Ref tag = Ref::take(PyIter_Next(it.get()))) {
    Ref text = Ref::take(PyObject_Str(tag.get()));
    op.draws = op.draws || walk::text_of(text.get()).ends_with("nondeterministic_seeded");
  }
  return op;
}

// The same with other leaves, in containers of its own.
template <class F>
Ref with_leaves(PyObject* o, F& leaf) {
  if (Ref other = leaf(o)) return other;
  if (PyTuple_Check(o) || PyList_Check(o)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    Ref made = Ref::take(checked(PyTuple_Check(o) ? PyTuple_New(n) : PyList_New(n)));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = with_leaves(PySequence_Fast_GET_ITEM(o, i), leaf).release();
      if (PyTuple_Check(o))
        PyTuple_SET_ITEM(made.get(), i, item);
      else
        PyList_SET_ITEM(made.get(), i, item);
    }
    return made;
  }
  if (PyDict_Check(o)) {
    Ref made = Ref::take(checked(PyDict_New()));
    Py_ssize_t at = 0;
    PyObject *k, *v;
    while (PyDict_Next(o, &at, &k, &v))
      checked(PyDict_SetItem(made.get(), k, with_leaves(v, leaf).get()));
    return made;
  }
  return Ref::share(o);
}

Ref with_places(const Api& a, PyObject* o, size_t& next) {
  auto place = [&](PyObject* t) {
    return is_tensor(a, t)
               ? Ref::take(checked(PyCapsule_New(reinterpret_cast<void*>(++next), kPlace, nullptr)))
               : Ref();
  };
  return with_leaves(o, place);
}

Ref with_tensors(PyObject* o, const std::vector<Ref>& tensors) {
  auto tensor = [&](PyObject* t) {
    return PyCapsule_IsValid(t, kPlace)
               ? tensors[reinterpret_cast<size_t>(PyCapsule_GetPointer(t, kPlace)) - 1]
               : Ref();
  };
  return with_leaves(o, tensor);
}

// --- sizes of results ---

// One size: that of a dimension of a tensor it was given, or a number.
struct SizeRule {
  int tensor = -1, dim = 0;
  int64_t number = 0;
  bool elsewhere = false;  // found at another place than its own: may be chance
};
struct ResultRule {
  DType dtype;
  std::vector<SizeRule> sizes;
  std::vector<size_t> order;  // dimensions from the outermost in memory
};

bool rule_of(const Tensor& result, const std::vector<Tensor>& given, ResultRule& rule) {
  const TensorImpl& t = *result.impl();
  rule.dtype = t.dtype;
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    SizeRule s;
    s.number = t.sizes[d];
    // The same place in the first tensor that has it, else any place.
    for (int pass = 0; pass < 2 && s.tensor < 0 && s.number > 1; ++pass)
      for (size_t k = 0; k < given.size() && s.tensor < 0; ++k) {
        const TensorImpl& g = *given[k].impl();
        if (!g.symbolic) continue;
        for (size_t i = 0; i < g.sizes.size() && s.tensor < 0; ++i)
          if (g.sizes[i] == s.number && g.symbolic->sizes[i].is_symbolic() &&
              (pass == 1 || i == d)) {
            s.tensor = static_cast<int>(k);
            s.dim = static_cast<int>(i);
            s.elsewhere = pass == 1;
          }
      }
    rule.sizes.push_back(s);
  }
  rule.order = order_of(t);
  // Dense, in that order.
  int64_t expected = 1;
  for (size_t k = rule.order.size(); k-- > 0;) {
    const size_t d = rule.order[k];
    if (t.numel() && t.sizes[d] > 1 && t.strides[d] != expected) return false;
    expected *= std::max<int64_t>(t.sizes[d], 1);
  }
  return true;
}

// Sizes that are alike by chance are told apart by what torch gives for others, of tensors without
// elements.
void confirm(const Host& h, const HostCall& call, std::vector<ResultRule>& rules) {
  const bool adaptive = h.aten.find("adaptive") != std::string::npos;
  std::vector<SizeRule*> doubted;
  for (ResultRule& r : rules)
    for (SizeRule& s : r.sizes)
      if (s.tensor >= 0 && (s.elsewhere || adaptive)) doubted.push_back(&s);
  if (doubted.empty()) return;
  PyObject* const sizes_given = walk::made_once([] { return imported("sizes_given"); }).get();
  auto symbol = [&](const SizeRule& s) {
    return call.tensors[static_cast<size_t>(s.tensor)]
        .impl()
        ->symbolic->sizes[static_cast<size_t>(s.dim)];
  };
  std::vector<PyObject*> given;
  tensors_of(*h.api, call.arguments, given);
  tensors_of(*h.api, call.keywords, given);
  while (!doubted.empty()) {
    const Int other = symbol(*doubted.back());
    Ref stand_ins = Ref::take(checked(PyList_New(0)));
    for (const Tensor& t : call.tensors) {
      const TensorImpl& i = *t.impl();
      Ref sizes = Ref::take(checked(PyTuple_New(static_cast<Py_ssize_t>(i.sizes.size()))));
      for (size_t d = 0; d < i.sizes.size(); ++d) {
        const bool changes = i.symbolic && i.symbolic->sizes[d].same_as(other);
        PyTuple_SET_ITEM(sizes.get(), static_cast<Py_ssize_t>(d),
                         PyLong_FromLongLong(i.sizes[d] + (changes ? 1 : 0)));
      }
      checked(PyList_Append(stand_ins.get(), sizes.get()));
    }
    Ref tensors = Ref::take(checked(PyList_New(0)));
    for (PyObject* t : given) checked(PyList_Append(tensors.get(), t));
    Ref made = Ref::take(checked(
        PyObject_CallFunctionObjArgs(sizes_given, tensors.get(), stand_ins.get(), nullptr)));
    std::vector<Ref> metas;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(made.get()); ++i)
      metas.push_back(Ref::share(PyList_GET_ITEM(made.get(), i)));
    Ref arguments = with_tensors(h.arguments.get(), metas),
        keywords = with_tensors(h.keywords.get(), metas);
    Ref result = Ref::take(PyObject_Call(h.function.get(), arguments.get(), keywords.get()));
    PyErr_Clear();  // not every op knows such tensors
    std::vector<PyObject*> results;
    if (result) tensors_of(*h.api, result.get(), results);
    std::erase_if(results, [&](PyObject* t) {
      return std::ranges::any_of(metas, [&](const Ref& m) { return m.get() == t; });
    });
    if (results.size() == rules.size() - call.writes.size())
      for (size_t k = 0; k < results.size(); ++k) {
        Ref sizes = get(results[k], "shape");
        for (size_t d = 0; d < rules[k].sizes.size(); ++d) {
          SizeRule& s = rules[k].sizes[d];
          if (s.tensor < 0 || !(s.elsewhere || adaptive) || !symbol(s).same_as(other)) continue;
          if (static_cast<Py_ssize_t>(d) < PyTuple_GET_SIZE(sizes.get()) &&
              PyLong_AsLongLong(PyTuple_GET_ITEM(sizes.get(), static_cast<Py_ssize_t>(d))) ==
                  s.number)
            s.tensor = -1;
        }
      }
    std::erase_if(doubted, [&](SizeRule* s) { return s->tensor < 0 || symbol(*s).same_as(other); });
  }
}

template <class I>
void apply_rules(const std::vector<ResultRule>& rules, ShapeCtx<I>& s) {
  for (const ResultRule& r : rules) {
    DimsOf<I> sizes, strides;
    for (const SizeRule& n : r.sizes)
      sizes.push_back(n.tensor < 0 ? I(n.number)
                                   : s.tensor(n.tensor).sizes[static_cast<size_t>(n.dim)]);
    strides.resize(sizes.size());
    I running(1);
    for (size_t k = r.order.size(); k-- > 0;) {
      const size_t d = r.order[k];
      strides[d] = running;
      if (!r.sizes[d].number) continue;
      running = running * sizes[d];
    }
    s.out(r.dtype, sizes, strides);
  }
}

// --- running ---

Tensor twin_of(const Api& api, PyObject* t) {
  Tensor twin;
  if (!is_tensor(api, t) || !describe(api, t, twin))
    throw UserError(ErrorKind::runtime, "torch", "an op gave something else than it had before");
  return twin;
}

void store(const Tensor& to, const Tensor& from, const Host& h) {
  if (!to.defined()) return;
  if (!(to.impl()->sizes == from.impl()->sizes) || to.dtype() != from.dtype())
    throw UserError(ErrorKind::runtime, h.aten, "torch gave other sizes than its rule says");
  kernels::copy(to, from);
}

void run_backward(const Host& h, KernelCall& call) {
  const Api& api = *h.api;
  const Host& f = *h.of;
  const size_t gradients = f.results;
  std::vector<Ref> inputs;
  for (size_t i = 0; i < f.tensors; ++i) {
    Ref t = to_torch(api, call.args[gradients + i].ref().tensor());
    if (std::ranges::find(f.writes, i) != f.writes.end())
      t = Ref::take(checked(PyObject_CallMethod(t.get(), "clone", nullptr)));
    inputs.push_back(std::move(t));
  }
  Ref leaves = Ref::take(checked(PyList_New(0)));
  for (size_t i = 0; i < f.tensors; ++i)
    if (h.wanted[i]) {
      Ref on = Ref::take(checked(PyObject_CallMethod(inputs[i].get(), "requires_grad_", nullptr)));
      checked(PyList_Append(leaves.get(), inputs[i].get()));
    }
  Ref given = Ref::take(checked(PyList_New(0)));
  for (size_t i = 0; i < gradients; ++i) {
    const frit::Ref& g = call.args[i].ref();
    Ref t = g.defined() ? to_torch(api, g.tensor()) : Ref::share(Py_None);
    checked(PyList_Append(given.get(), t.get()));
  }
  // A tensor that is written must be no leaf.
  PyObject* const differentiate = walk::made_once([] { return imported("differentiate"); }).get();
  const GradScope taped(api, true);  // what is passed leads to the leaves
  std::vector<Ref> passed = inputs;
  for (size_t w : f.writes)
    if (h.wanted[w])
      passed[w] = Ref::take(checked(PyObject_CallMethod(inputs[w].get(), "clone", nullptr)));
  Ref arguments = with_tensors(f.arguments.get(), passed),
      keywords = with_tensors(f.keywords.get(), passed);
  Ref written = Ref::take(checked(PyList_New(0)));
  for (size_t w : f.writes) checked(PyList_Append(written.get(), passed[w].get()));
  Ref found = Ref::take(checked(
      PyObject_CallFunctionObjArgs(differentiate, f.function.get(), arguments.get(), keywords.get(),
                                   written.get(), leaves.get(), given.get(), nullptr)));
  for (size_t i = 0; i < call.outs.size(); ++i)
    store(call.outs[i], twin_of(api, PyTuple_GET_ITEM(found.get(), static_cast<Py_ssize_t>(i))), h);
}

void results_of(const Api& api, PyObject* o, std::vector<Ref>& results) {
  if (is_tensor(api, o)) {
    results.push_back(Ref::share(o));
  } else if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      results_of(api, PySequence_Fast_GET_ITEM(o, i), results);
  }
}

void run_call(const Host& h, KernelCall& call) {
  const Api& api = *h.api;
  std::vector<Ref> tensors;
  for (size_t i = 0; i < h.tensors; ++i) {
    Ref t = to_torch(api, call.args[i].ref().tensor());
    if (std::ranges::find(h.writes, i) != h.writes.end())
      t = Ref::take(checked(PyObject_CallMethod(t.get(), "clone", nullptr)));
    tensors.push_back(std::move(t));
  }
  Ref arguments = with_tensors(h.arguments.get(), tensors),
      keywords = with_tensors(h.keywords.get(), tensors);
  Ref result = Ref::take(checked(PyObject_Call(h.function.get(), arguments.get(), keywords.get())));
  std::vector<Ref> results;
  if (h.results > h.writes.size()) results_of(api, result.get(), results);
  results.resize(std::min(results.size(), h.results - h.writes.size()));
  for (size_t w : h.writes) results.push_back(tensors[w]);
  if (results.size() != h.results)
    throw UserError(ErrorKind::runtime, h.aten, "torch gave another number of results");
  for (size_t i = 0; i < results.size(); ++i)
    store(call.outs[i], twin_of(api, results[i].get()), h);
}

void kernel(KernelCall& call) {
  const auto& h = static_cast<const Host&>(call.record);
  const python::WithGil gil;
  const walk::PendingError keep;
  try {
    // Some ops keep more for a backward pass.
    const GradScope mode(*h.api, h.grad_mode);
    if (h.backward)
      run_backward(h, call);
    else
      run_call(h, call);
  } catch (const python::nb::python_error& e) {
    throw UserError(ErrorKind::runtime, h.aten, e.what());
  }
}

void describe_record(Host& h, const std::string& name, size_t given, size_t results,
                     std::vector<ResultRule> rules) {
  static size_t number = 0;
  std::string schema = fmt::format("torch_{}_{}(", name, number++);
  for (size_t i = 0; i < given; ++i) schema += fmt::format("{}Tensor? t{}", i ? ", " : "", i);
  schema += ") -> ";
  if (results != 1) schema += "(";
  for (size_t i = 0; i < results; ++i) schema += i ? ", Tensor" : "Tensor";
  if (results != 1) schema += ")";
  h.schema = parse_schema(schema);
  h.full_name = h.schema.full_name();
  h.kind = Kind::library;
  h.functional = &h;
  h.kernel = kernel;
  h.id = (1u << 24) + static_cast<uint32_t>(number);
  h.shape = [rules](ShapeCtx<int64_t>& s) { apply_rules(rules, s); };
  h.shape_symbolic = [rules](ShapeCtx<Int>& s) { apply_rules(rules, s); };
}

GradList gradients_of(const Host& f, VjpCtx& v) {
  std::vector<bool> wanted(f.tensors, false);
  bool any = false;
  for (size_t i = 0; i < f.tensors; ++i) {
    wanted[i] = v.needs(static_cast<int>(i)) && v.meta(static_cast<int>(i)).dtype <= DType::f16;
    any = any || wanted[i];
  }
  GradList g(f.tensors + (f.ordered ? 1 : 0));
  bool given = false;
  for (size_t i = 0; i < f.results; ++i) given = given || v.grads[i].defined();
  if (!any || !given) return g;
  std::unique_ptr<Host>& b = f.backwards[wanted];
  if (!b) {
    b = std::make_unique<Host>();
    b->api = f.api;
    b->aten = f.aten + "_backward";
    b->backward = true;
    b->of = &f;
    b->wanted = wanted;
    std::string name = f.aten.substr(0, f.aten.find('.'));
    size_t results = 0;
    std::vector<size_t> of;
    for (size_t i = 0; i < f.tensors; ++i)
      if (wanted[i]) ++results, of.push_back(i);
    describe_record(*b, name + "_backward", f.results + f.tensors, results, {});
    const size_t first = f.results;
    auto rule = [of, first](auto& s) {
      for (size_t i : of) {
        auto m = s.tensor(static_cast<int>(first + i));
        s.out(m.dtype, m.sizes);
      }
    };
    b->shape = [rule](ShapeCtx<int64_t>& s) { rule(s); };
    b->shape_symbolic = [rule](ShapeCtx<Int>& s) { rule(s); };
    b->differentiable = false;
  }
  ArgList args;
  for (size_t i = 0; i < f.results; ++i) args.push_back(Arg(v.grads[i]));
  for (size_t i = 0; i < f.tensors; ++i) args.push_back(Arg(v.arg(static_cast<int>(i))));
  RefList found = v.c.call(*b, args);
  size_t next = 0;
  for (size_t i = 0; i < f.tensors; ++i)
    if (wanted[i]) g[i] = Arg(found[next++]);
  return g;
}

}  // namespace

const AtenOp& aten_op(PyObject* overload) {
  static auto& known = *new std::unordered_map<PyObject*, AtenOp>();
  auto it = known.find(overload);
  if (it == known.end()) it = known.emplace(Py_NewRef(overload), read_schema(overload)).first;
  return it->second;
}

void tensors_of(const Api& a, PyObject* o, std::vector<PyObject*>& tensors) {
  if (PyObject_TypeCheck(o, a.tensor_base)) {
    tensors.push_back(o);
  } else if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      tensors_of(a, PySequence_Fast_GET_ITEM(o, i), tensors);
  } else if (PyDict_Check(o)) {
    Py_ssize_t at = 0;
    PyObject *k, *v;
    while (PyDict_Next(o, &at, &k, &v)) tensors_of(a, v, tensors);
  }
}

std::shared_ptr<Host> make_host(const Api& api, const HostCall& call) {
  if (call.tensors.size() > 30) return nullptr;
  auto h = std::make_shared<Host>();
  h->api = &api;
  h->function = Ref::share(call.function);
  size_t next = 0;
  h->arguments = with_places(api, call.arguments, next);
  h->keywords = with_places(api, call.keywords, next);
  h->aten = call.op->name;
  h->writes = call.writes;
  h->tensors = call.tensors.size();
  h->results = call.results.size();
  h->ordered = call.ordered;
  h->grad_mode = (t_state.word & kGradEnabled) != 0;
  std::vector<ResultRule> rules;
  std::vector<std::pair<size_t, size_t>> used;
  bool fixed = false;
  for (const Tensor& t : call.results)
    if (!rule_of(t, call.tensors, rules.emplace_back())) return nullptr;
  confirm(*h, call, rules);
  for (const ResultRule& r : rules)
    for (const SizeRule& s : r.sizes)
      if (s.tensor >= 0)
        used.emplace_back(s.tensor, s.dim);
      else
        fixed = fixed || s.number > 1;
  // Numbers among the sizes may follow from sizes that no result shows: those are as they are here.
  if (fixed)
    for (size_t k = 0; k < call.tensors.size(); ++k)
      if (const auto& symbolic = call.tensors[k].impl()->symbolic)
        for (size_t d = 0; d < symbolic->sizes.size(); ++d) {
          const Int n = symbolic->sizes[d];
          bool shown = false;
          for (auto [t, i] : used)
            shown = shown || call.tensors[t].impl()->symbolic->sizes[i].same_as(n);
          if (!shown && n == Int(call.tensors[k].impl()->sizes[d])) {
          }  // asking makes the guard
        }
  if (call.ordered) rules.push_back({DType::u8, {}, {}});
  describe_record(*h, call.op->name.substr(0, call.op->name.find('.')),
                  h->tensors + (call.ordered ? 1 : 0), rules.size(), rules);
  h->raises_on_data = true;  // where the rules do not hold
  h->differentiable = call.differentiable;
  if (call.differentiable) {
    h->saves_args = static_cast<uint32_t>((uint64_t{1} << h->tensors) - 1);
    h->vjp = [f = h.get()](VjpCtx& v) { return gradients_of(*f, v); };
  }
  return h;
}

}  // namespace frit::torch
