#include "guard.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace frit_cc {
namespace {

constexpr size_t kStack = size_t(64) << 20;  // reserved, not touched
constexpr size_t kSignalStack = size_t(64) << 10;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
constexpr int kSignalCount = sizeof kSignals / sizeof *kSignals;

std::mutex handlers_mutex;
int handlers_users = 0;
struct sigaction previous[kSignalCount];

thread_local int crash_signal = 0;
thread_local char fatal_text[512];

const char* signal_text(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGILL:
      return "illegal instruction";
    case SIGFPE:
      return "arithmetic fault";
    case SIGABRT:
      return "abort";
    case SIGTRAP:
      return "trap";
  }
  return "signal";
}

// LLVM's own handlers would take faults of every thread and lose the fault's address; this one
// takes those of guarded work alone and hands all others on as they came.
void on_signal(int signal, siginfo_t* info, void* machine) {
  if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) {
    crash_signal = signal;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
    context->HandleExit(128 + signal);
  }
  for (int i = 0; i < kSignalCount; ++i) {
    if (kSignals[i] != signal) continue;
    const struct sigaction& before = previous[i];
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, machine);
    if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
      return before.sa_handler(signal);
    struct sigaction fresh = {};
    fresh.sa_handler = SIG_DFL;
    sigaction(signal, &fresh, nullptr);
    if (info->si_code <= 0) raise(signal);  // sent, not caused: it would not come again by itself
  }
}

void on_fatal_error(void*, const char* reason, bool) {
  std::strncpy(fatal_text, reason, sizeof fatal_text - 1);
  if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(70);
}

void prepare_once() {
  static const bool done = [] {
    // Enable() also installs LLVM's handlers; the host's go straight back.
    struct sigaction host[kSignalCount];
    for (int i = 0; i < kSignalCount; ++i) sigaction(kSignals[i], nullptr, &host[i]);
    llvm::CrashRecoveryContext::Enable();
    for (int i = 0; i < kSignalCount; ++i) sigaction(kSignals[i], &host[i], nullptr);
    llvm::install_fatal_error_handler(on_fatal_error);
    return true;
  }();
  (void)done;
}

struct Handlers {
  Handlers() {
    std::lock_guard lock(handlers_mutex);
    prepare_once();
    if (handlers_users++) return;
    struct sigaction mine = {};
    mine.sa_sigaction = on_signal;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < kSignalCount; ++i) sigaction(kSignals[i], &mine, &previous[i]);
  }
  ~Handlers() {
    std::lock_guard lock(handlers_mutex);
    if (--handlers_users) return;
    for (int i = 0; i < kSignalCount; ++i) {
      struct sigaction now;
      sigaction(kSignals[i], nullptr, &now);
      // The host may have installed its own meanwhile; that one stays.
      if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal)
        sigaction(kSignals[i], &previous[i], nullptr);
    }
  }
};

void* thread_main(void* argument) {
  std::unique_ptr<std::function<void()>> work(static_cast<std::function<void()>*>(argument));
  auto* memory = std::malloc(kSignalStack);
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStack;
  if (memory) sigaltstack(&stack, nullptr);
  (*work)();
  stack.ss_flags = SS_DISABLE;
  if (memory) sigaltstack(&stack, nullptr);
  std::free(memory);
  return nullptr;
}

}  // namespace

bool run_guarded(const std::function<void()>& work, std::string& what) {
  Handlers handlers;
  crash_signal = 0;
  fatal_text[0] = 0;
  llvm::CrashRecoveryContext context;
  if (context.RunSafely([&] { work(); })) return true;
  if (fatal_text[0])
    what = fatal_text;
  else if (crash_signal)
    what = signal_text(crash_signal);
  else
    what = "exit with status " + std::to_string(context.RetCode);
  return false;
}

bool start_thread(std::function<void()> work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStack);
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : kSignals) sigdelset(&all, signal);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a thread starts with its maker's mask
  auto* argument = new std::function<void()>(std::move(work));
  pthread_t thread;
  bool ok = pthread_create(&thread, &attributes, thread_main, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (!ok) delete argument;
  return ok;
}

}  // namespace frit_cc

// The link sends LLVM's and lld's calls of exit here: a compiler never ends its host.
extern "C" [[noreturn]] void __real_exit(int);
extern "C" [[noreturn]] void __wrap_exit(int status) {
  if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(status);
  __real_exit(status);
}

// Destructors of LLVM's globals are not registered at all: a thread that was abandoned in a hang
// may still use them while the process ends.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
extern "C" int atexit(void (*)()) { return 0; }
