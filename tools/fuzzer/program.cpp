#include "fuzzer/program.h"

#include <fmt/format.h>
#include <frit/autograd.h>
#include <frit/ops.h>

#include "core/layout.h"
#include "eager/dispatch.h"

namespace frit::fuzz {
namespace {

using Random = std::mt19937_64;

int64_t pick(Random& r, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(r() % static_cast<uint64_t>(high - low + 1));
}

template <class T>
const T& one_of(Random& r, const std::vector<T>& v) {
  return v[r() % v.size()];
}

// Records by what the fuzzer can make arguments for.
const std::vector<const OpRecord*>& candidates() {
  static const auto* list = [] {
    auto* l = new std::vector<const OpRecord*>;
    for (const OpRecord* r : registry().all()) {
      if (r->form == Form::out || r->has_effect || r->data_dependent || r->is_implicit()) continue;
      if (r->schema.full_name().front() == '_' ||
          r->schema.name.find("backward") != std::string::npos)
        continue;
      bool ok = !r->schema.args.empty();
      for (const SchemaArg& a : r->schema.args)
        ok = ok && (a.has_default || (a.type != ArgType::string && a.type != ArgType::dtype &&
                                      a.type != ArgType::generator));
      for (const SchemaReturn& s : r->schema.returns) ok = ok && s.type == ArgType::tensor;
      if (ok && r->schema.name.rfind("empty", 0) != 0 && r->schema.name.rfind("new_empty", 0) != 0)
        l->push_back(r);
    }
    return l;
  }();
  return *list;
}

const OpRecord& random_record(Random& r) {
  // Views, writes and reductions more often than their share.
  for (int tries = 0;; ++tries) {
    const OpRecord* c = one_of(r, candidates());
    int roll = static_cast<int>(r() % 100);
    bool wanted = roll < 35   ? c->kind == Kind::view
                  : roll < 55 ? c->form == Form::inplace
                  : roll < 70 ? c->kind == Kind::reduction || c->kind == Kind::matmul
                  : roll < 95 ? c->kind == Kind::pointwise && c->form == Form::functional
                              : true;
    if (wanted || tries > 200) return *c;
  }
}

Arg random_argument(Random& r, const SchemaArg& a, const std::vector<Tensor>& variables,
                    std::vector<int>& used) {
  if (a.has_default && a.type != ArgType::tensor && r() % 3 != 0) return a.default_value;
  switch (a.type) {
    case ArgType::tensor:
      if (a.optional && r() % 2) return Arg();
      used.push_back(static_cast<int>(r() % variables.size()));
      return Arg();
    case ArgType::tensor_list:
      for (int64_t n = pick(r, 1, 3); n > 0; --n)
        used.push_back(static_cast<int>(r() % variables.size()));
      return Arg();
    case ArgType::integer:
      return Arg(pick(r, -1, 2));
    case ArgType::integer_list: {
      IntList list;
      const Dims& sizes = variables[r() % variables.size()].impl()->sizes;
      switch (r() % 4) {
        case 0:
          list.push_back(Int(-1));
          break;
        case 1:
          for (int64_t s : sizes) list.push_back(Int(s));
          break;
        case 2:
          for (size_t d = sizes.size(); d-- > 0;) list.push_back(Int(static_cast<int64_t>(d)));
          break;
        default:
          list.push_back(Int(pick(r, -1, 1)));
          break;
      }
      return Arg(std::move(list));
    }
    case ArgType::scalar: {
      static const std::vector<double> values{0.5, 2.0, -1.0, 3.0, 0.0};
      return r() % 2 ? Arg(Scalar(pick(r, -2, 3))) : Arg(Scalar(one_of(r, values)));
    }
    case ArgType::real:
      return Arg(static_cast<double>(pick(r, 0, 4)) / 4);
    case ArgType::boolean:
      return Arg(r() % 2 == 0);
    default:
      return a.default_value;
  }
}

void execute(const Statement& s, std::vector<Tensor>& variables) {
  if (s.branch_on_item) {
    Tensor t = variables[static_cast<size_t>(s.branch_variable)];
    variables.push_back(t.item<double>() > 0 ? -t : t + 1);
    return;
  }
  ArgList args;
  for (size_t i = 0; i < s.args.size(); ++i) {
    const SchemaArg& a = s.record->schema.args[i];
    if (a.type == ArgType::tensor_list && !s.variables[i].empty()) {
      std::vector<Ref> refs;
      for (int v : s.variables[i]) refs.push_back(Ref(variables[static_cast<size_t>(v)]));
      args.push_back(Arg(std::move(refs)));
    } else if (!s.variables[i].empty()) {
      args.push_back(Arg(variables[static_cast<size_t>(s.variables[i][0])]));
    } else {
      args.push_back(s.args[i]);
    }
  }
  eager::EagerCaller caller;
  RefList results = caller.call(*s.record, args);
  for (Ref& t : results) variables.push_back(t.tensor());
}

}  // namespace

std::vector<Tensor> make_inputs(const Program& p, uint64_t seed, int64_t grow) {
  PhiloxState saved = default_generator()->state();
  manual_seed(seed * 7919 + p.seed);
  std::vector<Tensor> inputs;
  for (const InputSpec& s : p.inputs) {
    IntList sizes;
    for (size_t d = 0; d < s.sizes.size(); ++d)
      sizes.push_back(Int(s.sizes[d] >= 2 && d == 0 ? s.sizes[d] + grow : s.sizes[d]));
    if (s.transposed && sizes.size() == 2) std::swap(sizes[0], sizes[1]);
    Tensor t = (frit::randn(sizes) * 2.0).to(s.dtype);
    if (s.transposed && sizes.size() == 2) t = t.t();
    t = t.detach();
    if (s.requires_grad) t.requires_grad_();
    inputs.push_back(t);
  }
  default_generator()->set_state(saved);
  return inputs;
}

std::vector<Tensor> run(const Program& p, std::vector<Tensor> variables) {
  for (const Statement& s : p.statements) execute(s, variables);
  std::vector<Tensor> outputs;
  for (int o : p.outputs) outputs.push_back(variables[static_cast<size_t>(o)]);
  return outputs;
}

Program generate(uint64_t seed, int length) {
  Random r(seed);
  Program p;
  p.seed = seed;
  static const std::vector<int64_t> sizes{1, 2, 3, 4, 5, 17};
  int64_t rank = pick(r, 1, 3);
  std::vector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) shape.push_back(one_of(r, sizes));
  bool gradients = r() % 3 == 0;
  for (int64_t n = pick(r, 2, 3); n > 0; --n) {
    InputSpec s;
    static const std::vector<DType> dtypes{DType::f32, DType::f32,  DType::f32,    DType::f32,
                                           DType::f64, DType::bf16, DType::f16,    DType::i64,
                                           DType::i32, DType::u8,   DType::boolean};
    s.dtype = one_of(r, dtypes);
    s.sizes = shape;
    if (r() % 4 == 0) s.sizes.erase(s.sizes.begin());
    if (r() % 5 == 0) s.sizes = {one_of(r, sizes), one_of(r, sizes)};
    s.transposed = r() % 4 == 0;
    s.requires_grad = gradients && is_floating(s.dtype) && r() % 2;
    p.inputs.push_back(std::move(s));
  }
  std::vector<Tensor> variables = make_inputs(p, 0, 0);
  for (int tries = 0; static_cast<int>(p.statements.size()) < length && tries < 400; ++tries) {
    Statement s;
    size_t before = variables.size();
    if (r() % 40 == 0) {
      int v = static_cast<int>(r() % variables.size());
      if (variables[static_cast<size_t>(v)].impl()->numel() != 1 ||
          is_bool(variables[static_cast<size_t>(v)].dtype()))
        continue;
      s.branch_on_item = true;
      s.branch_variable = v;
    } else {
      s.record = &random_record(r);
      for (const SchemaArg& a : s.record->schema.args) {
        std::vector<int> used;
        Arg value = random_argument(r, a, variables, used);
        s.args.push_back(std::move(value));
        s.variables.push_back(std::move(used));
      }
    }
    try {
      execute(s, variables);
    } catch (const UserError&) {
      variables.resize(before);
      continue;
    }
    s.results = static_cast<int>(variables.size() - before);
    bool large = false;
    for (size_t i = before; i < variables.size(); ++i)
      large = large || variables[i].impl()->numel() > 20000;
    if (large || s.results == 0) {
      variables.resize(before);
      if (s.record && s.record->writes()) return p;  // what it wrote cannot be taken back
      continue;
    }
    p.statements.push_back(std::move(s));
  }
  int total = static_cast<int>(variables.size());
  for (int64_t n = pick(r, 1, 3); n > 0; --n)
    p.outputs.push_back(static_cast<int>(pick(r, std::max(0, total - 5), total - 1)));
  return p;
}

std::string text(const Program& p) {
  std::string out = fmt::format("// seed {}\n", p.seed);
  int next = 0;
  for (const InputSpec& s : p.inputs)
    out +=
        fmt::format("Tensor v{} = input({}, {}{}{});\n", next++, name(s.dtype), dims_text(s.sizes),
                    s.transposed ? ", transposed" : "", s.requires_grad ? ", requires_grad" : "");
  for (const Statement& s : p.statements) {
    if (s.branch_on_item) {
      out += fmt::format("Tensor v{} = v{}.item<double>() > 0 ? -v{} : v{} + 1;\n", next++,
                         s.branch_variable, s.branch_variable, s.branch_variable);
      continue;
    }
    std::string names;
    for (int i = 0; i < s.results; ++i) names += fmt::format("{}v{}", i ? ", " : "", next++);
    std::string args;
    for (size_t i = 0; i < s.args.size(); ++i) {
      std::string a;
      for (int v : s.variables[i]) a += fmt::format("{}v{}", a.empty() ? "" : ", ", v);
      if (a.empty()) {
        const Arg& x = s.args[i];
        if (x.is_none())
          a = "{}";
        else if (x.is<Int>())
          a = x.as<Int>().str();
        else if (x.is<IntList>())
          a = dims_text(std::span<const Int>(x.as<IntList>()));
        else if (x.is<bool>())
          a = x.as<bool>() ? "true" : "false";
        else if (x.is<double>())
          a = fmt::format("{}", x.as<double>());
        else if (x.is<Scalar>())
          a = x.as<Scalar>().is_real() ? fmt::format("{:.17g}", x.as<Scalar>().to_double())
                                       : fmt::format("{}", x.as<Scalar>().to_int64());
        else
          a = "...";
      }
      args += (i ? ", " : "") + a;
    }
    out += fmt::format("auto [{}] = frit::{}({});  // {}\n", names, s.record->schema.name, args,
                       s.record->full_name);
  }
  out += "return {";
  for (size_t i = 0; i < p.outputs.size(); ++i)
    out += fmt::format("{}v{}", i ? ", " : "", p.outputs[i]);
  return out + "};\n";
}

}  // namespace frit::fuzz
