// The public functions and methods, and their definitions.
#include <fmt/format.h>

#include "outputs.h"
#include "signature.h"

namespace frit::generate {
namespace {

constexpr const char* kNotice =
    "// Generated from the op records by tools/generate; do not edit.\n";

const char* form_name(Form f) {
  switch (f) {
    case Form::functional:
      return "functional";
    case Form::inplace:
      return "inplace";
    case Form::out:
      return "out";
  }
  return "";
}

const char* kind_name(Kind k) {
  switch (k) {
    case Kind::pointwise:
      return "pointwise";
    case Kind::reduction:
      return "reduction";
    case Kind::view:
      return "view";
    case Kind::matmul:
      return "matmul";
    case Kind::index:
      return "index";
    case Kind::random:
      return "random";
    case Kind::creation:
      return "creation";
    case Kind::copy:
      return "copy";
    case Kind::composite:
      return "composite";
    case Kind::library:
      return "library";
    case Kind::host:
      return "host";
  }
  return "";
}

std::string names_after(const Signature& s, size_t first) {
  std::string t;
  for (size_t i = first; i < s.parameters.size(); ++i) t += s.parameters[i].name + ", ";
  return t + "where";
}

// The twin's call of the overload that takes the list itself.
std::string twin_call(const Signature& s, bool method) {
  std::string t = method ? "(*this, " : "(";
  for (size_t i = method ? 1 : 0; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    bool list = p.type.ends_with("IntListRef") || p.type.ends_with("DimsRef");
    t += list ? p.type + "(" + p.name + "), " : p.name + ", ";
  }
  return "frit::" + s.name + t + "where)";
}

std::string argument_text(const Signature& s, size_t arg) {
  for (const Parameter& p : s.parameters)
    if (p.arg == arg) return fmt::format("to_arg({})", p.name);
  const SchemaArg& a = s.record->schema.args[arg];  // one that C++ programs do not give
  if (a.default_value.is_none()) return "Arg()";
  if (a.default_value.is<bool>()) return a.default_value.as<bool>() ? "Arg(true)" : "Arg(false)";
  return fmt::format("Arg(Int({}))", a.default_value.to_int().str());
}

std::string definition(const Signature& s) {
  std::string args;
  for (size_t i = 0; i < s.record->schema.args.size(); ++i)
    args += (i ? ", " : "") + argument_text(s, i);
  std::string t = fmt::format("{} {}({}) {{\n", s.returns, s.name, parameter_text(s, 0, false));
  t += fmt::format("  static const OpRecord& record = find_op(\"{}\");\n", s.record->full_name);
  if (s.record->schema.args.empty())
    t += "  const std::span<const Arg> args;\n";
  else
    t += fmt::format("  const Arg args[] = {{{}}};\n", args);
  size_t outs = s.record->schema.returns.size();
  if (s.returns == "TensorList") {
    t += "  return eager::dispatch_list(record, args, where);\n";
  } else if (outs == 0) {
    t += "  eager::dispatch(record, args, {}, where);\n";
  } else {
    t += fmt::format("  Tensor outs[{}];\n  eager::dispatch(record, args, outs, where);\n", outs);
    t += outs == 1 ? "  return std::move(outs[0]);\n" : "  return {";
    if (outs > 1) {
      for (size_t i = 0; i < outs; ++i) t += fmt::format("{}std::move(outs[{}])", i ? ", " : "", i);
      t += "};\n";
    }
  }
  t += "}\n";
  if (s.is_method) {
    t += fmt::format("{} Tensor::{}({}) const {{ return frit::{}(*this, {}); }}\n", s.returns,
                     s.name, parameter_text(s, 1, false), s.name, names_after(s, 1));
    if (s.has_brace_twin)
      t += fmt::format("{} Tensor::{}({}) const {{ return {}; }}\n", s.returns, s.name,
                       parameter_text(s, 1, false, true), twin_call(s, true));
  }
  if (s.has_brace_twin)
    t += fmt::format("{} {}({}) {{ return {}; }}\n", s.returns, s.name,
                     parameter_text(s, 0, false, true), twin_call(s, false));
  return t;
}

std::string header(Form form, const std::string& functions) {
  const char* what[] = {"every op as a function, by PyTorch's name",
                        "the ops that write into their first argument",
                        "the ops that write into given outputs, which come first"};
  return std::string(kNotice) + "// " + what[static_cast<int>(form)] + ".\n" + R"(#pragma once
#include <frit/tensor.h>

#include <array>
#include <memory>
#include <tuple>

namespace frit {

)" + functions +
         "\n}  // namespace frit\n";
}

std::string source(const std::string& functions) {
  return std::string(kNotice) + R"(#include <frit/ops.h>

#include "eager/dispatch.h"
#include "ops/record.h"
#include "ops/to_arg.h"

namespace frit {

)" + functions +
         "\n}  // namespace frit\n";
}

}  // namespace

void write_cpp_api(Files& files) {
  std::map<Form, std::string> headers;
  std::map<std::string, std::string> sources;
  std::string methods = kNotice;
  for (const Signature& s : signatures()) {
    const OpRecord& r = *s.record;
    std::string& declared = headers[r.form];
    declared += fmt::format("{} {}({});\n", s.returns, s.name, parameter_text(s, 0, true));
    if (s.has_brace_twin)
      declared += fmt::format("{} {}({});\n", s.returns, s.name, parameter_text(s, 0, true, true));
    if (s.is_method) {
      methods += fmt::format("{} {}({}) const;\n", s.returns, s.name, parameter_text(s, 1, true));
      if (s.has_brace_twin)
        methods +=
            fmt::format("{} {}({}) const;\n", s.returns, s.name, parameter_text(s, 1, true, true));
    }
    std::string file = kind_name(r.kind);
    if (r.form != Form::functional) file = form_name(r.form);
    sources[file] += definition(s);
  }
  for (auto& [form, text] : headers)
    files[fmt::format("include/frit/ops/{}.h", form_name(form))] = header(form, text);
  files["include/frit/tensor_methods.inc"] = methods;
  for (auto& [kind, text] : sources) {
    // No file above 1,000 lines: cut between functions.
    int part = 0;
    for (size_t at = 0; at < text.size();) {
      size_t lines = 0, end = at;
      while (end < text.size() && lines < 900) {
        size_t next = text.find("\n}\n", end);
        size_t stop = next == std::string::npos ? text.size() : next + 3;
        lines += static_cast<size_t>(std::count(text.begin() + static_cast<long>(end),
                                                text.begin() + static_cast<long>(stop), '\n'));
        end = stop;
      }
      std::string name = part == 0 ? kind : fmt::format("{}_{}", kind, part + 1);
      files[fmt::format("src/eager/generated/{}.cpp", name)] = source(text.substr(at, end - at));
      at = end;
      ++part;
    }
  }
}

}  // namespace frit::generate
