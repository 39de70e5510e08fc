// The Recorder under a tensor library that is not Frit's: its own tensor struct, its own eager ops,
// its own entry and commit. Nothing here is known to the Recorder but Handles.
#include <frit/tensor.h>
#include <gtest/gtest.h>

#include <memory>

#include "passes/interpret.h"
#include "trace/recorder.h"

namespace frit::trace {
namespace {

struct Memory {
  std::vector<float> data;
  uint64_t id, version = 0;
};
struct Array {
  std::shared_ptr<Memory> memory;
  Dims sizes, strides;
  int64_t offset = 0;
  uint64_t id;
};
using ArrayPtr = std::shared_ptr<Array>;

uint64_t fresh_id() {
  static uint64_t next = 1000;
  return next++;
}

ArrayPtr array(std::vector<float> data, Dims sizes) {
  auto m = std::make_shared<Memory>(Memory{std::move(data), fresh_id()});
  return std::make_shared<Array>(
      Array{m, sizes, contiguous_strides<int64_t>(sizes), 0, fresh_id()});
}

std::vector<float> values(const Array& a) {  // of two dimensions, or one
  std::vector<float> v;
  if (a.sizes.size() == 1)
    for (int64_t i = 0; i < a.sizes[0]; ++i)
      v.push_back(a.memory->data[static_cast<size_t>(a.offset + i * a.strides[0])]);
  else
    for (int64_t i = 0; i < a.sizes[0]; ++i)
      for (int64_t j = 0; j < a.sizes[1]; ++j)
        v.push_back(
            a.memory->data[static_cast<size_t>(a.offset + i * a.strides[0] + j * a.strides[1])]);
  return v;
}

Handle handle_of(const Array& a) {
  Handle h;
  h.identity = a.id;
  h.storage = a.memory->id;
  h.description = {DType::f32, a.sizes, a.strides, a.offset, false, a.memory->version};
  h.object = const_cast<Array*>(&a);
  return h;
}

// The library: each op runs, then tells the recorder.
class Library : public Host {
 public:
  Library() : env(std::make_shared<sym::ShapeEnv>()), recorder(env, *this, {}) {}

  InputInfo describe_input(const Handle& h) override {
    inputs.push_back(static_cast<Array*>(h.object));
    InputInfo info;
    info.name = "a" + std::to_string(inputs.size() - 1);
    info.dynamic = true;
    return info;
  }
  void set_symbolic(const Handle& h, const IntList& sizes, const IntList&, Int) override {
    symbolic[h.identity] = sizes;
  }
  Handle whole_storage(const Handle& h) override {
    auto& a = *static_cast<Array*>(h.object);
    int64_t n = static_cast<int64_t>(a.memory->data.size());
    wholes.push_back(std::make_shared<Array>(Array{a.memory, Dims{n}, Dims{1}, 0, fresh_id()}));
    return handle_of(*wholes.back());
  }

  ArrayPtr add(const ArrayPtr& a, const ArrayPtr& b) {
    auto x = values(*a), y = values(*b);
    for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
    ArrayPtr out = array(x, a->sizes);
    Handle ha = handle_of(*a), hb = handle_of(*b), ho = handle_of(*out);
    note("add.Tensor", {Arg(Ref(&ha)), Arg(Ref(&hb)), Arg(Scalar(1))}, {ho});
    return out;
  }
  ArrayPtr row(const ArrayPtr& a, int64_t i) {
    auto out = std::make_shared<Array>(Array{a->memory, Dims{a->sizes[1]}, Dims{a->strides[1]},
                                             a->offset + i * a->strides[0], fresh_id()});
    Handle ha = handle_of(*a), ho = handle_of(*out);
    note("select.int", {Arg(Ref(&ha)), Arg(Int(0)), Arg(Int(i))}, {ho});
    return out;
  }
  void scale_(const ArrayPtr& a, double by) {
    Handle before = handle_of(*a);
    for (int64_t i = 0; i < a->sizes[0]; ++i)
      a->memory->data[static_cast<size_t>(a->offset + i * a->strides[0])] *= static_cast<float>(by);
    ++a->memory->version;
    note("mul_.Scalar", {Arg(Ref(&before)), Arg(Scalar(by))}, {handle_of(*a)});
  }
  void note(const char* op, ArgList args, std::vector<Handle> results) {
    recorder.note(find_op(op), {args.data(), args.size()}, results, {});
    kept.push_back(std::move(results));
  }

  std::shared_ptr<sym::ShapeEnv> env;
  std::vector<Array*> inputs;
  std::vector<ArrayPtr> wholes;
  std::unordered_map<uint64_t, IntList> symbolic;
  std::vector<std::vector<Handle>> kept;
  Recorder recorder;
};

// The library's entry: guards on sizes, a run by Frit's kernels over its memory, and a commit.
struct FakeEntry {
  std::unique_ptr<ir::Graph> graph;
  std::shared_ptr<sym::ShapeEnv> env;
  std::vector<Recorder::Input> inputs;

  bool guards_hold(const std::vector<ArrayPtr>& in) const {
    std::vector<int64_t> symbols(env->symbols().size(), 0);
    for (size_t i = 0; i < in.size(); ++i)
      for (size_t d = 0; d < in[i]->sizes.size(); ++d)
        if (int s = inputs[i].symbols[d]; s >= 0) symbols[static_cast<size_t>(s)] = in[i]->sizes[d];
    for (const sym::Expr* c : env->entry_conditions())
      if (!env->evaluate(c, symbols)) return false;
    return true;
  }

  std::vector<ArrayPtr> run(const std::vector<ArrayPtr>& in) const {
    std::vector<Tensor> tensors;
    for (const ArrayPtr& a : in) tensors.push_back(tensor_from<float>(values(*a), a->sizes));
    passes::Interpreted r = passes::interpret(*graph, tensors, {1, 0});
    std::vector<ArrayPtr> out;
    for (const Tensor& t : r.outputs)
      if (t.defined()) out.push_back(array(t.to_vector<float>(), t.impl()->sizes));
    // Commit: from here on the caller sees it.
    for (size_t i = 0; i < graph->effects.size(); ++i) {
      const ir::Effect& e = graph->effects[i];
      if (e.kind != ir::Effect::Kind::write_input) continue;
      Memory& m = *in[static_cast<size_t>(e.input)]->memory;
      m.data = r.effects[i].to_vector<float>();
      m.version += static_cast<uint64_t>(e.bumps);
    }
    return out;
  }
};

// x.row(1) is scaled, then x and y are added: in the library's own code.
ArrayPtr program(Library& l, const ArrayPtr& x, const ArrayPtr& y) {
  ArrayPtr r = l.row(x, 1);
  l.scale_(r, 3);
  l.scale_(r, 2);
  return l.add(x, y);
}

TEST(FakeLibrary, RecordsAnEntryAndCommitsIt) {
  ArrayPtr x = array({1, 2, 3, 4}, {2, 2}), y = array({10, 20, 30, 40}, {2, 2});
  FakeEntry entry;
  {
    Library l;
    l.recorder.input(handle_of(*x));
    l.recorder.input(handle_of(*y));
    ArrayPtr z = program(l, x, y);
    EXPECT_EQ(values(*z), (std::vector<float>{11, 22, 48, 64}));  // it has run already
    ASSERT_FALSE(l.recorder.stopped()) << l.recorder.stopped()->text;
    std::vector<Handle> returned{handle_of(*z)};
    entry.graph = l.recorder.finish(returned);
    entry.env = l.env;
    entry.inputs = l.recorder.inputs();
  }
  EXPECT_EQ(ir::print(*entry.graph),
            "graph graph(a0: f32[s0, s1], a1: f32[s0, s1]) {\n"
            "  symbol s0 = 2 in [2, inf] from \"a0.size(0)\"\n"
            "  symbol s1 = 2 in [2, inf] from \"a0.size(1)\"\n"
            "  symbol s2 = 2 in [2, inf] from \"a1.size(0)\"\n"
            "  symbol s3 = 2 in [2, inf] from \"a1.size(1)\"\n"
            "  %0: f32[s1] = select.int(a0, 0, 1)\n"
            "  %1: f32[s1] = mul.Scalar(%0, 3.0)\n"
            "  %2: f32[s0, s1] = select_scatter(a0, %1, 0, 1)\n"
            "  %3: f32[s1] = mul.Scalar(%1, 2.0)\n"
            "  %4: f32[s0, s1] = select_scatter(%2, %3, 0, 1)\n"
            "  %5: f32[s0, s1] = add.Tensor(%4, a1)\n"
            "  write a0 <- %4 bumps 2\n"
            "  return %5\n"
            "}\n");

  // Another call, other sizes: the entry alone.
  ArrayPtr p = array({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3}),
           q = array(std::vector<float>(9, 1), {3, 3});
  ASSERT_TRUE(entry.guards_hold({p, q}));
  auto out = entry.run({p, q});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(values(*out[0]), (std::vector<float>{2, 3, 4, 25, 31, 37, 8, 9, 10}));
  EXPECT_EQ(values(*p), (std::vector<float>{1, 2, 3, 24, 30, 36, 7, 8, 9}));
  EXPECT_EQ(p->memory->version, 2u);
  EXPECT_FALSE(entry.guards_hold({p, array(std::vector<float>(6, 1), {2, 3})}));
}

TEST(FakeLibrary, TwoInputsOfOneStorageAskForTheWhole) {
  ArrayPtr x = array({1, 2, 3, 4}, {2, 2});
  auto same = std::make_shared<Array>(*x);
  same->id = fresh_id();
  Library l;
  l.recorder.input(handle_of(*x));
  l.recorder.input(handle_of(*same));
  l.scale_(l.row(x, 0), 2);
  ASSERT_TRUE(l.recorder.stopped());
  EXPECT_EQ(l.recorder.stopped()->kind, "aliased_inputs");
  EXPECT_EQ(l.recorder.stopped()->text,
            "a0 is written and shares memory with another input; the capture begins again with "
            "both as views of one storage");
  EXPECT_EQ(l.recorder.storages_to_group(), std::vector<uint64_t>{x->memory->id});
}

TEST(FakeLibrary, AResultThatIsNotWhatTheRuleSaysDropsTheCapture) {
  ArrayPtr x = array({1, 2, 3, 4}, {2, 2});
  Library l;
  l.recorder.input(handle_of(*x));
  ArrayPtr wrong = array({1, 2}, {2});
  Handle hx = handle_of(*x);
  l.note("relu", {Arg(Ref(&hx))}, {handle_of(*wrong)});
  ASSERT_TRUE(l.recorder.stopped());
  EXPECT_EQ(l.recorder.stopped()->kind, "mismatch");
  EXPECT_TRUE(l.recorder.stopped()->internal);
  EXPECT_EQ(l.recorder.stopped()->text,
            "[relu] gave f32[2] strides [1], its shape rule says f32[s0, s1] strides [s1, 1]");
}

}  // namespace
}  // namespace frit::trace
