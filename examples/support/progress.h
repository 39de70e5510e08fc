// A progress bar on a terminal; nothing where there is none.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <string>

namespace support {

class Progress {
 public:
  Progress(std::string what, int total)
      : what_(std::move(what)), total_(total), shown_(isatty(STDERR_FILENO)) {
    show({});
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void advance(const std::string& note = {}) {
    ++done_;
    show(note);
  }

 private:
  void show(const std::string& note) const {
    if (!shown_) return;
    constexpr int width = 30;
    const int filled = total_ > 0 ? width * done_ / total_ : width;
    const std::string bar = std::string(static_cast<size_t>(filled), '#') +
                            std::string(static_cast<size_t>(width - filled), '.');
    std::fprintf(stderr, "\r\033[K%-10s [%s] %d/%d  %s", what_.c_str(), bar.c_str(), done_, total_,
                 note.c_str());
    std::fflush(stderr);
  }

  std::string what_;
  int total_, done_ = 0;
  bool shown_;
};

}  // namespace support
