// The straight lists of passes, and how a list is run.
#include <algorithm>
#include <chrono>

#include "base/event.h"
#include "passes/pass.h"

namespace frit::passes {

std::span<const Pass> before_grad() {
  // Nothing else before gradients are made: they are summed as eager sums them, node by node, and a
  // detach() that changes no value stops them.
  static constexpr Pass list[] = {
      {"decompose_for_grad", "composites without a derivative become their parts",
       decompose_for_grad},
      {"dead_code", "unread nodes go", dead_code},
  };
  return list;
}

std::span<const Pass> before_lowering() {
  static constexpr Pass list[] = {
      {"decompose", "composites become primitives", decompose},
      {"simplify", "views of views, identities", simplify},
      {"fold_constants", "nodes of constants become constants", fold_constants},
      {"common_subexpressions", "equal nodes become one", common_subexpressions},
      {"dead_code", "unread nodes go", dead_code},
  };
  return list;
}

std::vector<PassTime> run_passes(ir::Graph& g, std::span<const Pass> list,
                                 const PassOptions& options) {
  std::vector<PassTime> times;
  for (const Pass& pass : list) {
    if (std::find(options.disabled.begin(), options.disabled.end(), pass.name) !=
        options.disabled.end())
      continue;
    auto start = std::chrono::steady_clock::now();
    int changes = 0;
    try {
      changes = pass.run(g);
      if (options.verify) ir::verify(g);
    } catch (const std::exception& e) {
      throw InternalError(std::string("pass ") + pass.name + ": " + e.what());
    }
    double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    times.push_back({pass.name, ms, changes});
    if (changes && options.after) options.after(pass.name, g);
    if (log_enabled(Channel::passes)) {
      Event e;
      e.channel = Channel::passes;
      e.name = pass.name;
      e.text = g.name + ": " + pass.name + " made " + std::to_string(changes) + " changes";
      e.ms = ms;
      emit(e);
    }
  }
  return times;
}

}  // namespace frit::passes
