// What stands between LLVM and the host process: crashes, fatal errors and exits of the compiler
// become a text and a status.
#pragma once
#include <functional>
#include <string>

namespace frit_cc {

// Runs `work` on this thread, which must be one of `start_thread`'s. False if it crashed, and then
// `what` says how: a signal's name, LLVM's own message, or the exit status it asked for. What the
// work allocated is lost.
bool run_guarded(const std::function<void()>& work, std::string& what);

// A detached thread with a large stack, a second stack for signal handlers, and every asynchronous
// signal blocked, so that the host's signals go to the host's threads. False if there is none to be
// had.
bool start_thread(std::function<void()> work);

}  // namespace frit_cc
