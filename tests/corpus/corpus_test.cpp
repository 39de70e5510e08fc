// Every program in every configuration, and its golden text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/parallel.h"
#include "core/generator.h"
#include "corpus/describe.h"
#include "corpus/observe.h"
#include "golden.h"
#include "loops/lower.h"
#include "passes/interpret.h"

namespace frit::corpus {
namespace {

struct Configuration {
  const char* name;
  Backend backend = Backend::frit;
  Dynamic dynamic = Dynamic::automatic;
  bool fuse = true;
  int threads = 2;
  bool round_trip = false;  // graphs are printed, parsed and run as parsed
  bool texts = false;       // every graph and its loops are printed and parsed
  int ops_per_graph = 0;    // 1: a graph ends after every op
  bool replay = false;      // FRIT_CHECK=replay: eager runs beside every compiled call
};

constexpr Configuration kConfigurations[] = {
    {"eager", Backend::eager},
    {"aot_eager", Backend::aot_eager},
    {"aot_eager_decomp", Backend::aot_eager_decomp},
    {.name = "frit", .texts = true},
    {"one_thread", Backend::frit, Dynamic::automatic, true, 1},
    {"all_static", Backend::frit, Dynamic::off},
    {"unfused", Backend::frit, Dynamic::automatic, false},
    {"round_trip", Backend::aot_eager, Dynamic::automatic, true, 2, true},
    {.name = "breaks", .ops_per_graph = 1},
    {.name = "breaks_aot_eager", .backend = Backend::aot_eager, .ops_per_graph = 1},
    {.name = "replay", .replay = true},
    {.name = "replay_breaks", .backend = Backend::eager, .ops_per_graph = 1, .replay = true},
};

class Threads {
 public:
  explicit Threads(int n) : saved_(num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(saved_); }

 private:
  int saved_;
};

class Checking {
 public:
  explicit Checking(bool replay) : on_(replay) {
    if (on_) setenv("FRIT_CHECK", "replay", 1);
  }
  ~Checking() {
    if (on_) unsetenv("FRIT_CHECK");
  }

 private:
  bool on_;
};

// What the graph gives is what its text gives.
void round_trip(const compiler::Callable& c, const compiler::Leaves& args, nn::Module* module) {
  for (const auto& e : c.all_entries()) {
    if (!e->compilation) continue;
    const ir::Graph& g = *e->compilation->recorded;
    std::string text = ir::print(g, {.locations = false, .strides = false});
    auto again = ir::parse(text);
    ir::verify(*again);
    ASSERT_EQ(ir::print(*again, {.locations = false, .strides = false}), text);
    compiler::CallState state{args, module, {}, {}};
    compiler::Gathered in;
    auto later = [](const compiler::InputGuard& i) {
      return i.source.kind == compiler::Source::Kind::prefix;
    };
    if (std::any_of(e->inputs.begin(), e->inputs.end(), later))
      continue;  // it begins where another ended
    if (!compiler::gather(*e, state, in)) continue;
    NoGrad quiet;
    std::span<const Tensor> inputs(in.inputs.data(), in.inputs.size());
    std::vector<int64_t> symbols(in.symbols.begin(), in.symbols.end());
    passes::Interpreted a, b;
    try {
      a = passes::interpret(g, inputs, {1, 0}, symbols);
    } catch (const UserError&) {
      continue;  // what raises on this data raises in the call, too
    }
    b = passes::interpret(*again, inputs, {1, 0}, symbols);
    auto same = [](const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
      ASSERT_EQ(x.size(), y.size());
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(x[i].defined(), y[i].defined());
        if (x[i].defined()) ASSERT_EQ(x[i].str(), y[i].str());
      }
    };
    same(a.outputs, b.outputs);
    same(a.effects, b.effects);
  }
}

// Every graph that is compiled, and the loops it becomes, as text and back.
void expect_texts_come_back(const compiler::Callable& c) {
  auto graph_comes_back = [](const ir::Graph& g) {
    for (bool strides : {false, true}) {
      const ir::PrintOptions options{.locations = false, .strides = strides};
      const std::string text = ir::print(g, options);
      auto again = ir::parse(text);
      ir::verify(*again);
      EXPECT_EQ(ir::print(*again, options), text);
    }
  };
  for (const auto& e : c.all_entries()) {
    if (!e->compilation) continue;
    graph_comes_back(*e->compilation->recorded);
    for (const compiler::Runnable* r :
         {const_cast<const compiler::Runnable*>(e->compilation->forward.get()),
          e->compilation->backward_if_ready()}) {
      if (!r) continue;
      graph_comes_back(r->graph());
      if (!r->code()) continue;
      for (bool fuse : {true, false}) {
        loops::Options options;
        options.fuse = fuse;
        options.on_stage = [](std::string_view stage, const loops::Program& p) {
          const std::string text = loops::print(p);
          auto again = loops::parse(text);
          loops::verify(*again);
          EXPECT_EQ(loops::print(*again), text) << stage;
        };
        loops::lower(r->graph(), options);
      }
    }
  }
}

// The schedule: each call at capture, cached, with other data; then all of them again.
struct Turn {
  size_t call;
  uint64_t data;
};
std::vector<Turn> schedule(const Program& p) {
  std::vector<Turn> turns;
  for (size_t i = 0; i < p.calls; ++i)
    for (int r = 0; r < p.traits.repeats; ++r)
      turns.push_back({i, 1000 * (i + 1) + static_cast<uint64_t>(r < 2 ? 0 : r)});
  if (p.traits.repeats > 1)
    for (size_t i = 0; i < p.calls; ++i) turns.push_back({i, 1000 * (i + 1) + 77});
  return turns;
}

std::shared_ptr<compiler::Callable> run(const Program& p, const Configuration& c) {
  Threads threads(c.threads);
  Checking checking(c.replay);
  CompileOptions options;
  options.backend = c.backend;
  options.dynamic = c.dynamic;
  options.fuse = c.fuse;
  options.ops_per_graph = c.ops_per_graph;
  options.recompile_limit = 32;
  manual_seed(11);
  auto plain = p.start(nullptr);
  manual_seed(11);
  auto compiled = p.start(&options);
  int turn = 0;
  for (const Turn& t : schedule(p)) {
    uint64_t rng = 500 + static_cast<uint64_t>(turn);
    Observation a = observe(*plain, t.call, t.data, rng, p.traits);
    Observation b =
        observe(*compiled, t.call, t.data, rng, p.traits, [&](const compiler::Leaves& args) {
          if (c.round_trip) round_trip(*compiled->callable(), args, compiled->world.module());
        });
    // Gradients of what several graphs use are added in another order.
    const double gradients = std::max(p.traits.tolerance, c.ops_per_graph ? 1e-6 : 0);
    std::string d = difference(a, b, {p.traits.tolerance, gradients});
    EXPECT_EQ(d, "") << p.name << ", turn " << turn << " (call " << t.call << ")";
    if (!d.empty()) break;
    ++turn;
  }
  auto callable = compiled->callable();
  for (const auto& b : callable->breaks())
    EXPECT_FALSE(b.stop.internal) << b.stop.kind << ": " << b.stop.text;
  if (c.backend == Backend::frit && p.traits.native)
    for (const auto& e : callable->all_entries())
      if (e->compilation) EXPECT_TRUE(e->compilation->forward->code()) << e->name << " has no code";
  return callable;
}

struct Case {
  const Program* program;
  const Configuration* configuration;
};
class Corpus : public testing::TestWithParam<Case> {};

TEST_P(Corpus, SameAsPlain) {
  auto callable = run(*GetParam().program, *GetParam().configuration);
  if (GetParam().configuration->texts) expect_texts_come_back(*callable);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Configuration& c : kConfigurations)
    for (const Program& p : programs()) all.push_back({&p, &c});
  return all;
}

class Golden : public testing::TestWithParam<const Program*> {};

TEST_P(Golden, EntriesBreaksGuards) {
  const Program& p = *GetParam();
  Configuration c{"golden", Backend::eager};
  std::string text = describe(*run(p, c));
  testing_golden::expect_text(
      std::string(FRIT_SOURCE_DIR) + "/tests/corpus/golden/" + p.name + ".txt", text);
}

std::vector<const Program*> all_programs() {
  std::vector<const Program*> all;
  for (const Program& p : programs()) all.push_back(&p);
  return all;
}

// That many programs are served by graphs of an op each; the others cannot be captured, or not
// where a graph has to end: what they do is in their golden texts.
TEST(CorpusItself, BreaksAreCrossed) {
  int crossed = 0;
  std::string left;
  for (const Program& p : programs()) {
    auto entries =
        run(p, {.name = "", .backend = Backend::eager, .ops_per_graph = 1})->all_entries();
    const bool served = std::any_of(entries.begin(), entries.end(), [](const auto& e) {
      return e->end == compiler::Entry::End::op_count && e->runs.load() > 0;
    });
    crossed += served;
    if (!served) left += " " + p.name;
  }
  EXPECT_GE(crossed, 140) << "not served:" << left;
}

TEST(CorpusItself, HasFortyProgramsOfDistinctNames) {
  std::vector<std::string> names;
  for (const Program& p : programs()) names.push_back(p.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_GE(names.size(), 40u);
  EXPECT_EQ(testing_golden::names(std::string(FRIT_SOURCE_DIR) + "/tests/corpus/golden"), names)
      << "a golden text without its program";
}

INSTANTIATE_TEST_SUITE_P(Programs, Corpus, testing::ValuesIn(cases()), [](const auto& i) {
  return std::string(i.param.configuration->name) + "_" + i.param.program->name;
});
INSTANTIATE_TEST_SUITE_P(Programs, Golden, testing::ValuesIn(all_programs()),
                         [](const auto& i) { return i.param->name; });

}  // namespace
}  // namespace frit::corpus
