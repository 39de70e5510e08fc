// Units to steps: write-backs, order, side-by-side fusion, equal bodies shared; then memory.
#pragma once
#include "loops/build.h"

namespace frit::loops {

// The inputs that must be written whole: then nothing was scheduled. None, otherwise.
std::unordered_set<int> schedule(const ir::Graph&, Program&, const Fusion&, Built, const Options&);
// Arena offsets by lifetime over the steps.
void plan_memory(Program&, const Options&);
// The nest's number in the program: that of an equal one (other buffers and sizes, same text), or
// new.
class NestSharing {
 public:
  explicit NestSharing(Program& p) : program_(p) {}
  Part add(Nest n);

 private:
  Program& program_;
  std::unordered_map<std::string, int> known_;
};
// What two nests have in common that can share their text.
std::string shape_text(const Program&, const Nest&);

}  // namespace frit::loops
