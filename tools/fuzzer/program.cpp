#include "fuzzer/program.h"

#include <fmt/format.h>
#include <frit/autograd.h>
#include <frit/ops.h>

#include "core/layout.h"
#include "eager/dispatch.h"

namespace frit::fuzz {
namespace {

using Kind = Statement::Kind;
using Layout = InputSpec::Layout;

const Tensor& at(const std::vector<Tensor>& v, int i) { return v[static_cast<size_t>(i)]; }

void with_sizes(const Statement& s, const std::vector<Tensor>& variables, ArgList& args) {
  for (const Statement::SizeOf& z : s.sizes) {
    Int size = at(variables, z.variable).size(z.dim);
    Arg& a = args[z.argument];
    if (z.element < 0) {
      a = Arg(size);
    } else {
      IntList list = a.as<IntList>();
      list[static_cast<size_t>(z.element)] = size;
      a = Arg(std::move(list));
    }
  }
}

void execute_op(const Statement& s, std::vector<Tensor>& variables) {
  ArgList args;
  for (size_t i = 0; i < s.args.size(); ++i) {
    const SchemaArg& a = s.record->schema.args[i];
    if (a.type == ArgType::tensor_list && !s.variables[i].empty()) {
      std::vector<Ref> refs;
      for (int v : s.variables[i]) refs.push_back(Ref(at(variables, v)));
      args.push_back(Arg(std::move(refs)));
    } else if (!s.variables[i].empty()) {
      args.push_back(Arg(at(variables, s.variables[i][0])));
    } else {
      args.push_back(s.args[i]);
    }
  }
  with_sizes(s, variables, args);
  eager::EagerCaller caller;
  RefList results = caller.call(*s.record, args);
  // How many tensors a list holds depends on sizes; a program names a fixed number of them.
  size_t count = s.results ? static_cast<size_t>(s.results) : results.size();
  for (size_t i = 0; i < count; ++i)
    variables.push_back(i < results.size() ? results[i].tensor() : at(variables, 0));
  if (s.fill)
    for (size_t i = 0; i < count; ++i) variables[variables.size() - 1 - i].zero_();
}

Tensor values_for(const InputSpec& s, const IntList& sizes) {
  switch (s.values) {
    case InputSpec::Values::normal:
      break;
    case InputSpec::Values::index:
      return frit::randint(0, 3, sizes, DType::i64).to(s.dtype);
    case InputSpec::Values::unit:
      return frit::rand(sizes).to(s.dtype);
  }
  return (frit::randn(sizes) * 2.0).to(s.dtype);
}

Tensor make_input(const InputSpec& s, const IntList& sizes) {
  IntList memory = sizes;
  const Layout layout = sizes.empty() ? Layout::dense : s.layout;
  switch (layout) {
    case Layout::dense:
      return values_for(s, sizes);
    case Layout::transposed:
      std::reverse(memory.begin(), memory.end());
      break;
    case Layout::sliced:
      memory[memory.size() - 1] = memory[memory.size() - 1] * Int(2) + Int(1);
      break;
    case Layout::expanded:
      memory[0] = 1;
      break;
  }
  Tensor t = values_for(s, memory);
  if (layout == Layout::expanded) return t.expand(sizes);
  if (layout == Layout::sliced)
    return t.narrow(-1, 1, memory[memory.size() - 1] - Int(1))
        .slice(-1, std::nullopt, std::nullopt, 2);
  IntList order;
  for (int64_t d = t.dim(); d-- > 0;) order.push_back(Int(d));
  return t.permute(order);
}

std::string argument_text(const Arg& x) {
  if (x.is_none()) return "{}";
  if (x.is<Int>()) return x.as<Int>().str();
  if (x.is<IntList>()) {
    std::string list;
    for (Int i : x.as<IntList>()) list += (list.empty() ? "" : ", ") + i.str();
    return "{" + list + "}";
  }
  if (x.is<bool>()) return x.as<bool>() ? "true" : "false";
  if (x.is<double>()) return fmt::format("{}", x.as<double>());
  if (x.is<DType>()) return fmt::format("DType::{}", short_name(x.as<DType>()));
  if (x.is<Symbol>()) return fmt::format("\"{}\"", x.as<Symbol>().str());
  if (x.is<Scalar>()) {
    const Scalar& s = x.as<Scalar>();
    if (s.is_bool()) return s.to_bool() ? "true" : "false";
    if (!s.is_real()) return fmt::format("{}", s.to_int64());
    std::string number = fmt::format("{:.17g}", s.to_double());
    return number.find_first_of(".en") == std::string::npos ? number + ".0" : number;
  }
  return "...";
}

std::string call_text(const Statement& s) {
  std::string args, outs;
  for (size_t i = 0; i < s.args.size(); ++i) {
    const SchemaArg& schema = s.record->schema.args[i];
    std::string a;
    for (int v : s.variables[i]) a += fmt::format("{}v{}", a.empty() ? "" : ", ", v);
    if (schema.type == ArgType::tensor_list) a = "{" + a + "}";
    if (a.empty()) {
      Arg shown = s.args[i];
      std::vector<std::string> elements;
      if (shown.is<IntList>())
        for (Int n : shown.as<IntList>()) elements.push_back(n.str());
      std::string whole;
      for (const Statement::SizeOf& z : s.sizes) {
        if (z.argument != i) continue;
        std::string size = fmt::format("v{}.size({})", z.variable, z.dim);
        if (z.element < 0)
          whole = size;
        else
          elements[static_cast<size_t>(z.element)] = size;
      }
      a = !whole.empty()     ? whole
          : elements.empty() ? argument_text(shown)
                             : fmt::format("{{{}}}", fmt::join(elements, ", "));
    }
    // In C++ what an out form writes comes first.
    std::string& list = schema.is_written && s.record->form == Form::out ? outs : args;
    list += (list.empty() ? "" : ", ") + a;
  }
  if (!outs.empty()) args = args.empty() ? outs : outs + ", " + args;
  return fmt::format("frit::{}{}({})", s.record->schema.name,
                     s.record->form == Form::out ? "_out" : "", args);
}

}  // namespace

void Statement::for_each_variable(const std::function<void(int&)>& fn) {
  for (auto& list : variables)
    for (int& v : list) fn(v);
  for (SizeOf& z : sizes) fn(z.variable);
  if (variable >= 0) fn(variable);
}

bool Statement::uses(int wanted) const {
  bool found = false;
  const_cast<Statement*>(this)->for_each_variable([&](int& v) { found = found || v == wanted; });
  return found;
}

int Program::first_result(size_t statement) const {
  int first = static_cast<int>(inputs.size());
  for (size_t i = 0; i < statement; ++i) first += statements[i].results;
  return first;
}

bool is_uninitialised(const OpRecord& r) {
  return r.body == "empty" || r.schema.name.find("empty") != std::string::npos;
}

void execute(const Statement& s, std::vector<Tensor>& variables) {
  GradMode mode(is_grad_enabled() && !s.no_grad);
  if (s.kind == Kind::op) return execute_op(s, variables);
  Tensor t = at(variables, s.variable);
  switch (s.kind) {
    case Kind::branch_on_item:
      variables.push_back(t.item<double>() > 0 ? -t : t + 1);
      break;
    case Kind::branch_on_size:
      variables.push_back(t.size(s.dim) > Int(s.limit) ? -t : t + 1);
      break;
    case Kind::backward:
      t.sum().backward({}, true);
      break;
    case Kind::op:
      break;
  }
}

std::vector<Tensor> run(const Program& p, std::vector<Tensor> variables) {
  for (const Statement& s : p.statements) execute(s, variables);
  std::vector<Tensor> outputs;
  for (int o : p.outputs) outputs.push_back(at(variables, o));
  return outputs;
}

namespace {
// With numbers behind it, which reads beyond the tensor bring to light.
Tensor with_more_behind(const Tensor& t) {
  const int64_t n = t.numel().hint();
  Tensor room = frit::full({n + 64}, 100, t.dtype());
  Tensor part = room.slice(0, 0, n).view(t.sizes());
  part.copy_(t);
  return part.detach();
}
}  // namespace

Inputs make_inputs(const Program& p, uint64_t data, int64_t grow) {
  PhiloxState saved = default_generator()->state();
  manual_seed(data * 7919 + p.seed);
  Inputs made;
  for (const InputSpec& s : p.inputs) {
    IntList sizes;
    for (size_t d = 0; d < s.sizes.size(); ++d)
      sizes.push_back(
          Int(s.sizes[d] >= 2 && d == 0 ? std::max<int64_t>(s.sizes[d] + grow, 1) : s.sizes[d]));
    Tensor t;
    if (s.alias_of >= 0 && at(made.given, s.alias_of).dtype() == s.dtype)
      t = at(made.given, s.alias_of).detach().flatten();
    else
      t = make_input(s, sizes).detach();
    if (p.fixed_sizes && s.alias_of < 0 && s.layout == InputSpec::Layout::dense)
      t = with_more_behind(t);
    if (s.requires_grad) t.requires_grad_();
    made.leaves.push_back(t);
    made.given.push_back(s.requires_grad && s.computed ? t * 1.0 : t);
  }
  default_generator()->set_state(saved);
  return made;
}

std::string text(const InputSpec& s) {
  static constexpr const char* kLayouts[] = {"", ", transposed", ", every second", ", expanded"};
  static constexpr const char* kValues[] = {"", ", indices", ", in [0, 1)"};
  std::string alias = s.alias_of >= 0 ? fmt::format(", flat memory of v{}", s.alias_of) : "";
  return fmt::format(
      "{}{}{}{}{}{}", name(s.dtype), dims_text(s.sizes), kLayouts[static_cast<int>(s.layout)],
      kValues[static_cast<int>(s.values)],
      s.requires_grad ? s.computed ? ", computed with gradient" : ", requires_grad" : "", alias);
}

std::string text(const Program& p) {
  std::string out = fmt::format("// seed {}\nauto f = frit::compile([](", p.seed);
  int next = 0;
  for (size_t i = 0; i < p.inputs.size(); ++i)
    out += fmt::format("{}Tensor v{}", i ? ", " : "", next++);
  out += ") {\n";
  for (const Statement& s : p.statements) {
    out += s.no_grad ? "  { NoGrad off; " : "  ";
    int v = s.variable;
    switch (s.kind) {
      case Kind::branch_on_item:
        out +=
            fmt::format("Tensor v{} = v{}.item<double>() > 0 ? -v{} : v{} + 1;", next++, v, v, v);
        break;
      case Kind::branch_on_size:
        out += fmt::format("Tensor v{} = v{}.size({}) > {} ? -v{} : v{} + 1;", next++, v, s.dim,
                           s.limit, v, v);
        break;
      case Kind::backward:
        out += fmt::format("v{}.sum().backward({{}}, true);", v);
        break;
      case Kind::op: {
        std::string names;
        for (int i = 0; i < s.results; ++i) names += fmt::format("{}v{}", i ? ", " : "", next++);
        if (s.results == 1)
          out += fmt::format("Tensor {} = ", names);
        else if (s.results)
          out += fmt::format("auto [{}] = ", names);
        out += call_text(s) + (s.fill ? ".zero_();" : ";");
        break;
      }
    }
    out += s.no_grad ? " }" : "";
    out += s.record ? fmt::format("  // {}\n", s.record->full_name) : "\n";
  }
  out += "  return std::vector<Tensor>{";
  for (size_t i = 0; i < p.outputs.size(); ++i)
    out += fmt::format("{}v{}", i ? ", " : "", p.outputs[i]);
  out += p.fixed_sizes ? "};\n}, {.dynamic = Dynamic::off});\n" : "};\n});\n";
  for (size_t i = 0; i < p.inputs.size(); ++i)
    out += fmt::format("// v{}: {}\n", i, text(p.inputs[i]));
  return out;
}

}  // namespace frit::fuzz
