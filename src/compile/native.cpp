#include "compile/native.h"

#include <fmt/format.h>

#include "base/config.h"
#include "base/event.h"
#include "base/parallel.h"
#include "codegen/cpu/generate.h"
#include "compile/driver.h"
#include "jit/compiler.h"
#include "loops/lower.h"

namespace frit::compiler {
namespace {

jit::Compiler& compiler() {
  static auto* c = new jit::Compiler();  // never destroyed: compiled code outlives statics
  return *c;
}

std::vector<int64_t> hints_of(const ir::Graph& g, const runtime::GraphPlan& plan) {
  std::vector<int64_t> values;
  for (const runtime::SymbolSource& s : plan.symbols) {
    int64_t v = 0;
    for (const sym::Symbol& symbol : g.env()->symbols())
      if (symbol.name == s.name && symbol.hint) v = *symbol.hint;
    values.push_back(v);
  }
  return values;
}

}  // namespace

// graph -> loops -> C++ text -> shared object
std::shared_ptr<runtime::CompiledGraph> native_code(const ir::Graph& graph,
                                                    const CompileSettings& settings,
                                                    const Artifacts& artifacts, const char* stage) {
  try {
    loops::Options options;
    options.fuse = settings.fuse;
    options.on_stage = [&](std::string_view name, const loops::Program& p) {
      if (artifacts.enabled())
        artifacts.write(fmt::format("{}_loops_{}.txt", stage, name), loops::print(p));
    };
    auto program = loops::lower(graph, options);
    codegen::cpu::Options text_options;
    text_options.modules = num_threads();
    codegen::cpu::Generated text = codegen::cpu::generate(*program, graph, text_options);
    if (artifacts.enabled()) {
      const std::string file = fmt::format("{}_output_code.cpp", stage);
      artifacts.write(file,
                      codegen::cpu::standalone(text, graph, hints_of(graph, text.plan), file));
      artifacts.write("frit_header.h", codegen::cpu::header());
    }
    if (log_enabled(Channel::output_code)) {
      Event e;
      e.channel = Channel::output_code;
      e.name = stage;
      for (const std::string& m : text.modules) e.text += m;
      emit(e);
    }
    jit::CompileRequest request;
    request.name = settings.name + "/" + stage;
    request.modules = text.modules;
    request.header = codegen::cpu::header();
    request.level = cpu_level();
    request.threads = num_threads();
    jit::CompileResult result = compiler().compile(request);
    if (log_enabled(Channel::cache)) {
      Event e;
      e.channel = Channel::cache;
      e.name = stage;
      e.text = fmt::format("{}: {} in {:.1f} ms", request.name, result.hit ? "found" : "compiled",
                           result.times.total);
      e.ms = result.times.total;
      emit(e);
    }
    if (!result) {
      notice_once(
          fmt::format("native:{}", jit::compile_status_name(result.status)),
          fmt::format(
              "[compile] {} runs on eager kernels: {}{}{}", settings.name, result.message,
              result.hint.empty() ? "" : "\n  try: " + result.hint,
              result.reproducer.empty() ? "" : "\n  reproducer: " + result.reproducer.string()));
      return nullptr;
    }
    return std::make_shared<runtime::CompiledGraph>(std::move(result.library),
                                                    std::move(text.plan));
  } catch (const std::exception& e) {
    notice_once(fmt::format("native_fault:{}", settings.name),
                fmt::format("[compile] {} runs on eager kernels: {} could not be compiled: {}",
                            settings.name, stage, e.what()));
    artifacts.write(fmt::format("{}_fault.txt", stage), e.what());
    return nullptr;
  }
}

}  // namespace frit::compiler
