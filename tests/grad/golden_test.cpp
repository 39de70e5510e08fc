// golden/<case>.txt: a graph, its joint graph, and the two it is cut into. Every output is
// differentiated.
#include "golden.h"

#include "grad/joint.h"

namespace frit::grad {
namespace {

std::string folder() { return std::string(FRIT_SOURCE_DIR) + "/tests/grad/golden"; }

// As a recording says of inputs and outputs that eager would keep.
void keep(ir::Graph& g) {
  auto output_of = [&](const ir::Value* v) {
    for (size_t i = 0; i < g.outputs.size(); ++i)
      if (g.outputs[i].value == v) return static_cast<int>(i);
    return -1;
  };
  for (const auto& n : g.nodes()) {
    std::vector<ir::Kept> kept;
    auto keep = [&](int16_t arg, int16_t element, int input, int output) {
      ir::Kept k;
      k.arg = arg;
      k.element = element;
      k.input = input;
      k.output = output;
      kept.push_back(k);
    };
    for (size_t i = 0; i < n->args().size(); ++i) {
      const Arg& a = n->args()[i];
      if (!(n->record().saves_args >> i & 1) || !a.is_ref()) continue;
      const ir::Value* v = a.ref().value();
      int input = v->producer() ? -1 : v->index();
      if (input >= 0 || output_of(v) >= 0) keep(static_cast<int16_t>(i), -1, input, output_of(v));
    }
    for (size_t i = 0; i < n->outputs().size(); ++i)
      if ((n->record().saves_outs >> i & 1) && output_of(n->outputs()[i]) >= 0)
        keep(-1, static_cast<int16_t>(i), -1, output_of(n->outputs()[i]));
    g.set_kept(n.get(), std::move(kept));
  }
}

class GradGolden : public testing::TestWithParam<std::string> {};

TEST_P(GradGolden, Text) {
  testing_golden::expect(folder(), GetParam(), [](const std::string& source) {
    auto g = ir::parse(source);
    keep(*g);
    std::vector<int> all;
    for (size_t i = 0; i < g->outputs.size(); ++i) all.push_back(static_cast<int>(i));
    Joint joint = differentiate(*g, all);
    ir::verify(*joint.graph);
    std::string text = ir::print(*joint.graph);
    Partition p = partition(joint);
    ir::verify(*p.forward);
    ir::verify(*p.backward.graph);
    text += "\n" + ir::print(*p.forward) + "\n" + ir::print(*p.backward.graph) + "saved:";
    for (const auto& s : p.saved)
      text += std::string(s.is_input ? " input " : " output ") + std::to_string(s.index);
    return text + "\n";
  });
}

INSTANTIATE_TEST_SUITE_P(All, GradGolden, testing::ValuesIn(testing_golden::names(folder())),
                         [](const auto& i) { return testing_golden::test_name(i.param); });

}  // namespace
}  // namespace frit::grad
