#include "loops/lower.h"

#include "loops/schedule.h"

namespace frit::loops {
namespace {

std::unique_ptr<Program> run(const ir::Graph& g, const Options& options, std::string_view stage) {
  std::unique_ptr<Program> p;
  std::unordered_set<int> whole;
  for (bool done = false; !done;) {
    p = std::make_unique<Program>(g.env());
    p->name = g.name;
    Fusion fusion(g, *p, options, whole);
    fusion.run();
    Built built = build(g, *p, fusion, options);
    auto more = schedule(g, *p, fusion, std::move(built), options);
    done = more.empty();
    whole.merge(more);
  }
  for (const auto& n : g.nodes()) p->uses_rng = p->uses_rng || n->record().kind == Kind::random;
  if (options.on_stage) options.on_stage(stage, *p);
  plan_memory(*p, options);
  return p;
}

}  // namespace

std::unique_ptr<Program> lower(const ir::Graph& g, const Options& options) {
  if (options.on_stage && options.fuse) {
    // A kernel a node, for the reader: fusion works on nodes, so this is a lowering of its own.
    Options single = options;
    single.fuse = false;
    run(g, single, "lowered");
  }
  auto p = run(g, options, options.fuse ? "fused" : "lowered");
  if (options.on_stage) options.on_stage("planned", *p);
  verify(*p);
  return p;
}

}  // namespace frit::loops
