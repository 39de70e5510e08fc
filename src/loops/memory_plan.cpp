// The arena: buffers whose lifetimes do not meet share a slot where one is known to be large
// enough.
#include <algorithm>

#include "base/fault.h"
#include "loops/rewrite.h"
#include "loops/schedule.h"

namespace frit::loops {
namespace {

struct Lifetime {
  int first = -1, last = -1;
  void use(int step) {
    if (first < 0) first = step;
    last = step;
  }
};

struct Slot {
  Int bytes;      // a multiple of 64
  int free_from;  // first step at which nothing lives in it
  std::vector<int> buffers;
};

Int aligned(Int bytes) {
  if (bytes.is_constant()) return (bytes + 63) / Int(64) * 64;
  return ceildiv(bytes, 64) * 64;
}

void for_each_buffer(const Program& p, const Step& s, const std::function<void(int)>& use) {
  auto of_nest = [&](const Nest& n) {
    for (int b : n.buffers) use(b);
  };
  auto of_tensor = [&](const TensorArg& t) {
    if (t.buffer >= 0) use(t.buffer);
  };
  switch (s.kind) {
    case StepKind::generated:
      for (const Part& part : s.parts)
        for (int b : part.buffers) use(b);
      break;
    case StepKind::gemm:
      use(s.gemm.a.buffer);
      use(s.gemm.b.buffer);
      if (s.gemm.epilogue >= 0)
        of_nest(p.nests[static_cast<size_t>(s.gemm.epilogue)]);
      else
        use(s.gemm.c.buffer);
      break;
    case StepKind::library:
      for (const Library::Argument& a : s.library.args)
        for (const TensorArg& t : a.tensors) of_tensor(t);
      for (const TensorArg& t : s.library.outs) of_tensor(t);
      break;
    case StepKind::symbol:
      use(s.buffer);
      break;
    case StepKind::allocate:
    case StepKind::check:
      break;
  }
}

// Will a buffer of so many bytes fit, whatever the sizes are?
bool fits(Int need, Int have) { return need.same_as(have) || (need <= have).known_true(); }

}  // namespace

void plan_memory(Program& p, const Options& options) {
  std::vector<Lifetime> lives(p.buffers.size());
  for (size_t i = 0; i < p.steps.size(); ++i)
    for_each_buffer(p, p.steps[i],
                    [&](int b) { lives[static_cast<size_t>(b)].use(static_cast<int>(i)); });
  std::vector<int> by_start;
  for (size_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].place == Place::arena && lives[b].first >= 0)
      by_start.push_back(static_cast<int>(b));
  std::ranges::sort(by_start, {},
                    [&](int b) { return std::pair(lives[static_cast<size_t>(b)].first, b); });
  std::vector<Slot> slots;
  for (int b : by_start) {
    const Buffer& buffer = p.buffers[static_cast<size_t>(b)];
    Int need = aligned(buffer.elements * size_of(buffer.dtype));
    const Lifetime& life = lives[static_cast<size_t>(b)];
    const int from = life.first + (fault(Fault::memory_reuse) ? 1 : 0);
    Slot* best = nullptr;
    for (Slot& s : slots) {
      if (!options.plan_memory || s.free_from > from) continue;
      if (fits(need, s.bytes)) {
        if (!best || !fits(need, best->bytes) || (s.bytes < best->bytes).known_true()) best = &s;
      } else if (need.is_constant() && s.bytes.is_constant() &&
                 (!best || (!fits(need, best->bytes) && (s.bytes > best->bytes).known_true()))) {
        best = &s;  // the largest of the small ones grows
      }
    }
    if (!best) best = &slots.emplace_back(Slot{need, 0, {}});
    if (!fits(need, best->bytes)) best->bytes = need;
    best->free_from = life.last + 1;
    best->buffers.push_back(b);
  }
  Int offset = 0;
  for (const Slot& s : slots) {
    for (int b : s.buffers) p.buffers[static_cast<size_t>(b)].offset = offset;
    offset = offset + s.bytes;
  }
  p.arena_bytes = offset;
}

}  // namespace frit::loops
