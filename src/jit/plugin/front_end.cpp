#include "front_end.h"

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/InMemoryModuleCache.h>
#include <clang/Serialization/PCHContainerOperations.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <vector>

#include "../plugin_abi.h"
#include "module_compiler.h"

namespace frit_cc {

const char* const kTriple = "x86_64-pc-linux-gnu";

namespace {

constexpr const char* kPrecompiledName = "/frit/header.pch";

std::string header_path(const Options& options) { return kFolder + options.header_name; }

// Clang's own (cc1) spelling; `src/jit/reproducer.cpp` writes the same for clang++.
std::vector<std::string> common_arguments(const Options& options) {
  std::vector<std::string> args = {
      "-triple", kTriple, "-target-cpu", options.cpu, "-std=c++20", "-mrelocation-model", "pic",
      "-pic-level", "2", "-fhalf-no-semantic-interposition",
      // Eager and compiled agree: no contraction, no fast-math, overflow of integers wraps.
      "-ffp-contract=off", "-fwrapv", "-relaxed-aliasing", "-fno-rtti", "-fno-threadsafe-statics",
      "-nostdsysteminc", "-nobuiltininc", "-nostdinc++", "-w", "-ferror-limit", "20",
      "-fbracket-depth", "4096", "-funwind-tables=2"};
  for (size_t at = 0; at < options.features.size();) {
    size_t comma = std::min(options.features.find(',', at), options.features.size());
    args.push_back("-target-feature");
    args.push_back(options.features.substr(at, comma - at));
    at = comma + 1;
  }
  if (options.vector_width)
    args.push_back("-mprefer-vector-width=" + std::to_string(options.vector_width));
  if (options.debug_info)
    for (const char* a :
         {"-debug-info-kind=constructor", "-dwarf-version=5", "-debugger-tuning=gdb"})
      args.push_back(a);
  // Marks the functions; module_compiler.cpp adds the passes.
  if (options.sanitizer == FRIT_CC_ADDRESS_SANITIZER) args.push_back("-fsanitize=address");
  if (options.sanitizer == FRIT_CC_THREAD_SANITIZER) args.push_back("-fsanitize=thread");
  args.push_back("-O" + std::to_string(options.optimize == FRIT_CC_SLIM ? 1 : options.optimize));
  args.push_back("-disable-llvm-passes");
  return args;
}

// One run of Clang over files in memory.
class Run {
 public:
  Run(const Options& options, std::string& diagnostics)
      : files_(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>()), out_(diagnostics) {
    files_->setCurrentWorkingDirectory("/");
    add_file(header_path(options), options.header);
    auto printing = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
    clang_.createDiagnostics(new clang::TextDiagnosticPrinter(out_, &*printing), true);
    clang_.setVerboseOutputStream(llvm::nulls());
  }

  void add_file(const std::string& path, const std::string& text) {
    files_->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(text, path));
  }

  bool execute(const std::vector<std::string>& args, clang::FrontendAction& action) {
    std::vector<const char*> pointers;
    for (auto& a : args) pointers.push_back(a.c_str());
    if (!clang::CompilerInvocation::CreateFromArgs(clang_.getInvocation(), pointers,
                                                   clang_.getDiagnostics()))
      return false;
    clang_.createFileManager(files_);
    return clang_.ExecuteAction(action);
  }

 private:
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files_;
  llvm::raw_string_ostream out_;
  clang::CompilerInstance clang_;
};

class PrecompileAction : public clang::ASTFrontendAction {
 public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer)
      : buffer_(std::move(buffer)) {}
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        clang.getPreprocessor(), clang.getModuleCache(), kPrecompiledName, "", buffer_,
        llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(), false,
        /*IncludeTimestamps=*/false);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

}  // namespace

bool precompile_header(const Options& options, std::string& precompiled, std::string& diagnostics) {
  auto buffer = std::make_shared<clang::PCHBuffer>();
  {
    Run run(options, diagnostics);
    auto args = common_arguments(options);
    for (std::string a : {std::string("-x"), std::string("c++-header"), header_path(options)})
      args.push_back(a);
    PrecompileAction action(buffer);
    if (!run.execute(args, action) || !buffer->IsComplete) return false;
  }
  precompiled.assign(buffer->Data.begin(), buffer->Data.end());
  return true;
}

std::unique_ptr<llvm::Module> parse_module(const Options& options, const std::string& file,
                                           const std::string& text, llvm::LLVMContext& context,
                                           std::string& diagnostics) {
  Run run(options, diagnostics);
  run.add_file(file, text);
  auto args = common_arguments(options);
  args.insert(args.end(), {"-x", "c++", "-main-file-name", file});
  if (options.precompiled.empty()) {
    args.insert(args.end(), {"-include", header_path(options)});
  } else {
    run.add_file(kPrecompiledName, options.precompiled);
    args.insert(args.end(), {"-include-pch", kPrecompiledName, "-fno-validate-pch"});
  }
  args.push_back(file);
  clang::EmitLLVMOnlyAction action(&context);
  if (!run.execute(args, action)) return nullptr;
  return action.takeModule();
}

}  // namespace frit_cc
