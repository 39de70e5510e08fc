#include "module_compiler.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>
#include <llvm/Transforms/Instrumentation/ThreadSanitizer.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "../plugin_abi.h"
#include "front_end.h"

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
}

namespace frit_cc {
namespace {

// Generated code arrives in loops over vectors already: it needs inlining, promotion to registers,
// common subexpressions and invariants out of loops. Vectorisers, unrollers and the rest of -O2
// take longer and change the run time by less than the noise. Small functions are cleaned before
// they are inlined, once instead of at every call: that halves the optimiser's time.
constexpr const char* kSlim =
    "function(sroa,instcombine<no-verify-fixpoint>),always-inline,globaldce,"
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,"
    "loop-mssa(licm),loop(indvars),early-cse<memssa>,loop-mssa(licm),"
    "instcombine<no-verify-fixpoint>)";

const llvm::Target* x86() {
  static const llvm::Target* target = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(kTriple, error);
  }();
  return target;
}

// Where the back end reports errors; without a handler LLVM prints them and ends the process.
struct CollectDiagnostics : llvm::DiagnosticHandler {
  std::string& text;
  bool& failed;
  CollectDiagnostics(std::string& text, bool& failed) : text(text), failed(failed) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    failed = true;
    llvm::raw_string_ostream out(text);
    llvm::DiagnosticPrinterRawOStream printer(out);
    out << "error: ";
    info.print(printer);
    out << '\n';
    return true;
  }
};

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Options& options) {
  llvm::TargetOptions target_options;
  target_options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(x86()->createTargetMachine(
      kTriple, options.cpu, options.features, target_options, llvm::Reloc::PIC_, std::nullopt,
      options.optimize >= FRIT_CC_O3 ? llvm::CodeGenOptLevel::Aggressive
                                     : llvm::CodeGenOptLevel::Default));
}

bool optimize(const Options& options, llvm::TargetMachine& machine, llvm::Module& module) {
  const uint32_t level = options.optimize;
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  if (level == FRIT_CC_SLIM) {
    if (auto error = builder.parsePassPipeline(passes, kSlim)) {
      llvm::consumeError(std::move(error));
      return false;
    }
  } else {
    passes =
        builder.buildPerModuleDefaultPipeline(level == FRIT_CC_O1   ? llvm::OptimizationLevel::O1
                                              : level == FRIT_CC_O2 ? llvm::OptimizationLevel::O2
                                                                    : llvm::OptimizationLevel::O3);
  }
  if (options.sanitizer == FRIT_CC_ADDRESS_SANITIZER) {
    passes.addPass(llvm::AddressSanitizerPass({}));
  } else if (options.sanitizer == FRIT_CC_THREAD_SANITIZER) {
    passes.addPass(llvm::ModuleThreadSanitizerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
  passes.run(module, modules);
  return true;
}

bool generate(llvm::TargetMachine& machine, llvm::Module& module, std::string& object) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(
      llvm::TargetLibraryInfoImpl(machine.getTargetTriple())));
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return false;
  passes.run(module);
  object.assign(bytes.begin(), bytes.end());
  return true;
}

[[clang::noinline]] int overflow_stack(volatile int* p, int depth) {
  volatile int local[256];
  local[depth & 255] = *p;
  return depth < 0 ? 0 : overflow_stack(local, depth + 1) + local[(depth + 1) & 255];
}

// Faults on request, so that what guards against them can be tested.
void obey_test_hooks(const std::string& text) {
  constexpr const char* kMark = "#pragma frit_test ";
  size_t at = text.find(kMark);
  if (at == std::string::npos) return;
  std::string what = text.substr(at + std::strlen(kMark));
  what = what.substr(0, what.find('\n'));
  if (what == "crash") *(volatile int*)nullptr = 1;
  if (what == "abort") std::abort();
  if (what == "fatal") llvm::report_fatal_error("asked for by frit_test");
  if (what == "exit") std::exit(3);
  volatile int zero = 0;
  if (what == "overflow") overflow_stack(&zero, 1);
  if (what == "hang")
    for (;;) zero = 0;
}

}  // namespace

double now_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void compile_module(const Options& options, const std::string& name, const std::string& text,
                    std::atomic<const char*>& phase, ModuleResult& result) {
  double start = now_ms();
  phase = "start";
  if (!x86()) {
    result.diagnostics = "error: the X86 target is missing from the plugin\n";
    return;
  }
  std::string file = name[0] == '/' ? name : kFolder + name;
  llvm::LLVMContext context;
  bool failed = false;
  context.setDiagnosticHandler(std::make_unique<CollectDiagnostics>(result.diagnostics, failed));

  phase = "front end";
  if (options.test_hooks) obey_test_hooks(text);
  auto module = parse_module(options, file, text, context, result.diagnostics);
  double parsed = now_ms();
  result.front_end = parsed - start;
  if (!module || failed) return;
  // Clang replaced the handler while it ran.
  context.setDiagnosticHandler(std::make_unique<CollectDiagnostics>(result.diagnostics, failed));

  phase = "optimiser";
  auto machine = make_target_machine(options);
  if (!optimize(options, *machine, *module) || failed) {
    result.diagnostics += "error: the pass pipeline was not accepted\n";
    return;
  }
  double optimized = now_ms();
  result.optimize = optimized - parsed;

  phase = "code generation";
  bool generated = generate(*machine, *module, result.object);
  result.codegen = now_ms() - optimized;
  if (!generated) result.diagnostics += "error: the X86 target cannot emit an object\n";
  result.ok = generated && !failed;
}

}  // namespace frit_cc
