#include "codegen/cpu/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/cpu/micro/gemm.h"

namespace frit::codegen::cpu {

using loops::Step;

namespace {

// About this much work (elements times NestFunction::weight) is worth a second thread.
constexpr int64_t kGrainWork = 1 << 17;

constexpr int64_t kLongRow = 2 * 32768;
constexpr int kMostChunks = 4096;  // whose results lie on the stack at a time

kernels::Elem elem_of(DType t) {
  switch (t) {
    case DType::f32:
      return kernels::Elem::f32;
    case DType::f64:
      return kernels::Elem::f64;
    case DType::bf16:
      return kernels::Elem::bf16;
    case DType::f16:
      return kernels::Elem::f16;
    case DType::i8:
      return kernels::Elem::i8;
    case DType::i16:
      return kernels::Elem::i16;
    case DType::i32:
      return kernels::Elem::i32;
    case DType::i64:
      return kernels::Elem::i64;
    case DType::u8:
      return kernels::Elem::u8;
    case DType::boolean:
      break;
  }
  throw InternalError("a matrix product of bools");
}

}  // namespace

NestTable::NestTable(const loops::Program& program)
    : program_(program), uses_(program.nests.size()), functions_(program.nests.size()) {
  for (size_t i = 0; i < program.nests.size(); ++i)
    uses_[i].varying_size.assign(program.nests[i].outer.size() + program.nests[i].row.size(),
                                 false);
  for (const Step& s : program.steps) {
    for (const loops::Part& p : s.parts) {
      const loops::Nest& n = program.nests[static_cast<size_t>(p.nest)];
      NestUse& use = uses_[static_cast<size_t>(p.nest)];
      for (size_t k = 0; k < use.varying_size.size(); ++k) {
        Int own = k < n.outer.size() ? n.outer[k].size : n.row[k - n.outer.size()].size;
        if (!own.same_as(p.sizes[k])) use.varying_size[k] = true;
      }
    }
    // A row of several chunks (as far as the hints tell) that has a step to itself.
    if (s.parts.size() == 1) {
      const loops::Nest& n = program.nests[static_cast<size_t>(s.parts[0].nest)];
      NestUse& use = uses_[static_cast<size_t>(s.parts[0].nest)];
      use.chunked =
          can_be_chunked(n) && n.row[0].size.has_hint() && n.row[0].size.hint() > kLongRow;
    }
    if (s.kind == loops::StepKind::gemm && s.gemm.epilogue >= 0)
      uses_[static_cast<size_t>(s.gemm.epilogue)].epilogue = true;
  }
  for (const Step& s : program.steps)
    if (s.parts.size() > 1)
      for (const loops::Part& p : s.parts) uses_[static_cast<size_t>(p.nest)].chunked = false;
}

const NestFunction& NestTable::get(int nest) {
  auto at = static_cast<size_t>(nest);
  if (!functions_[at]) {
    const loops::Nest& n = program_.nests[at];
    std::string name = names_.take(n.name.empty() ? "nest" : n.name);
    functions_[at] = std::make_unique<NestFunction>(write_nest(program_, n, uses_[at], name));
    order_.push_back(nest);
  }
  return *functions_[at];
}

// --- symbols ---

SymbolName SymbolUse::name(const sym::Expr* s) {
  auto it = std::find(slots_.begin(), slots_.end(), s);
  FRIT_INVARIANT(it != slots_.end(), "a symbol without a place: " + program_.env->symbol(s).name);
  auto slot = static_cast<size_t>(it - slots_.begin());
  if (std::find(used_.begin(), used_.end(), slot) == used_.end()) used_.push_back(slot);
  return {program_.env->symbol(s).name, false};
}
std::string SymbolUse::text(Int i) {
  return index_text(i, [this](const sym::Expr* s) { return name(s); }).text;
}
std::string SymbolUse::text(Bool b) {
  return condition_text(b, [this](const sym::Expr* s) { return name(s); }).text;
}
std::string SymbolUse::check_text(Bool b) {
  return cpu::check_text(b, [this](const sym::Expr* s) { return name(s); }).text;
}
std::string SymbolUse::text(const sym::Expr* symbol) { return name(symbol).text; }
std::string SymbolUse::lines() const {
  std::string s;
  for (size_t slot : used_)
    s += fmt::format("const i64 {} = {}[{}];\n", program_.env->symbol(slots_[slot]).name, array_,
                     slot);
  return s;
}

// --- steps ---

// Text of one function over `run`.
class StepWriter::Body {
 public:
  Body(const loops::Program& program, const SymbolSlots& slots)
      : program_(program), symbols(program, slots, "run->symbols") {}

  // The address of a buffer, with elements added.
  std::string pointer(int buffer, Int offset = 0, bool written = true) {
    const loops::Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
    std::string type = fmt::format("{}{}*", written ? "" : "const ", storage_type(b.dtype));
    std::string p;
    switch (b.place) {
      case loops::Place::input:
        p = fmt::format("({})run->inputs[{}]", type, b.index);
        break;
      case loops::Place::output:
        p = fmt::format("({})run->outputs[{}]", type, b.index);
        break;
      case loops::Place::arena: {
        std::string o = symbols.text(b.offset);
        p = o == "0" ? fmt::format("({})run->arena", type)
                     : fmt::format("({})(run->arena + {})", type, o);
        break;
      }
      case loops::Place::own:
        p = fmt::format("({})run->own[{}]", type, b.index);
        break;
      case loops::Place::row:
        throw InternalError("a row buffer outside of its nest");
    }
    std::string o = symbols.text(offset);
    return o == "0" ? p : p + " + " + o;
  }

  // The arguments of a nest function behind its range or tile.
  std::string arguments(const NestFunction& f, std::span<const int> buffers,
                        std::span<const Int> sizes) {
    std::string s;
    for (size_t k : f.buffers) s += ", " + pointer(buffers[k]);
    for (size_t k : f.sizes) s += ", " + symbols.text(sizes[k]);
    for (const sym::Expr* e : f.symbols) s += ", " + symbols.text(e);
    if (f.random) s += ", run->seed, run->offset";
    if (f.checks) s += ", run";
    return s;
  }

 private:
  const loops::Program& program_;

 public:
  SymbolUse symbols;
};

std::string StepWriter::comment(const Step& step) const {
  std::string s = "// " + step.name + ":";
  for (const std::string& op : step.ops) s += " " + op;
  s += "\n";
  std::set<std::string> places;
  for (const SourceLocation& w : step.where)
    if (w && places.size() < 8 && places.insert(w.text()).second) s += "//   " + w.text() + "\n";
  return s;
}

StepText StepWriter::write(const Step& step) {
  switch (step.kind) {
    case loops::StepKind::generated:
      return generated(step);
    case loops::StepKind::gemm:
      return gemm(step);
    case loops::StepKind::library:
      return library(step);
    case loops::StepKind::symbol:
      return symbol(step);
    case loops::StepKind::allocate:
      return allocate(step);
    case loops::StepKind::check:
      return check(step);
  }
  return {};
}

StepText StepWriter::generated(const Step& step) {
  StepText out;
  Body region(program_, slots_), launch(program_, slots_);
  std::string region_text, launch_text;
  bool checks = false, serial = false;
  struct Work {
    std::string turns, cost;
  };
  std::vector<Work> works;
  auto product = [](Body& body, std::span<const Int> sizes) {
    Int n = 1;
    for (Int s : sizes) n = n * s;
    return body.symbols.text(n);
  };
  auto work_of = [&](Body& body, const loops::Part& p) {
    const loops::Nest& n = program_.nests[static_cast<size_t>(p.nest)];
    std::span<const Int> sizes(p.sizes);
    Int row = 1;
    for (Int s : sizes.subspan(n.outer.size())) row = row * s;
    int64_t weight = nests_.get(p.nest).weight;
    // A turn costs something even where its row is empty.
    std::string cost = row.is_constant()
                           ? std::to_string(std::max<int64_t>(row.constant(), 1) * weight)
                           : fmt::format("(1 + {} * {})", body.symbols.text(row), weight);
    return Work{product(body, sizes.first(n.outer.size())), cost};
  };
  for (const loops::Part& p : step.parts) {
    const NestFunction& f = nests_.get(p.nest);
    out.nests.push_back(p.nest);
    checks |= f.checks;
    serial |= program_.nests[static_cast<size_t>(p.nest)].serial;
  }
  const std::string name = step.name;
  if (step.parts.size() == 1 && !nests_.get(step.parts[0].nest).partials.empty())
    return chunked(step);
  if (step.parts.size() == 1) {
    const loops::Part& p = step.parts[0];
    const NestFunction& f = nests_.get(p.nest);
    region_text =
        fmt::format("{}(begin, end{});\n", f.name, region.arguments(f, p.buffers, p.sizes));
    Work w = work_of(launch, p);
    launch_text =
        fmt::format("fv::parallel(run, {}, {}, {}_region);\n", w.turns,
                    serial ? "INT64_MAX" : fmt::format("1 + {} / {}", kGrainWork, w.cost), name);
  } else {
    // Parts lie one after another on one line of work; a piece of it is a piece of some of them.
    std::string total;
    region_text = "i64 start = 0;\n";
    for (const loops::Part& p : step.parts) {
      const NestFunction& f = nests_.get(p.nest);
      Work w = work_of(region, p), l = work_of(launch, p);
      region_text += fmt::format(
          "if (fv::Piece part = fv::piece_of(begin, end, start, {0}, {1}); part.begin < part.end)\n"
          "  {2}(part.begin, part.end{3});\nstart += {0} * {1};\n",
          w.turns, w.cost, f.name, region.arguments(f, p.buffers, p.sizes));
      total += (total.empty() ? "" : " + ") + fmt::format("{} * {}", l.turns, l.cost);
    }
    launch_text = fmt::format("fv::parallel(run, {}, {}, {}_region);\n", total,
                              serial ? "INT64_MAX" : std::to_string(kGrainWork), name);
  }
  size_t never = launch_text.find("INT64_MAX");
  if (never != std::string::npos) launch_text.replace(never, 9, "9223372036854775807L");
  out.function = comment(step);
  out.function += fmt::format(
      "static void {}_region(i64 begin, i64 end, void* ctx) {{\n  FritRun* run = "
      "(FritRun*)ctx;\n{}{}}}\n",
      name, indented(region.symbols.lines(), 2), indented(region_text, 2));
  out.declaration = fmt::format("i64 {}(FritRun* run)", name);
  out.function += fmt::format("i64 {}(FritRun* run) {{\n{}{}  return {};\n}}\n", name,
                              indented(launch.symbols.lines(), 2), indented(launch_text, 2),
                              checks ? "run->detail[1]" : "0");
  out.call = checks ? fmt::format("if (i64 failed = {}(run)) return failed;\n", name)
                    : fmt::format("{}(run);\n", name);
  return out;
}

// One long row: chunks of it by any thread, their results joined in order by this one.
StepText StepWriter::chunked(const Step& step) {
  StepText out;
  const loops::Part& p = step.parts[0];
  const NestFunction& f = nests_.get(p.nest);
  out.nests.push_back(p.nest);
  Body region(program_, slots_), launch(program_, slots_);
  std::string fields, results, levels, adds, sums;
  for (size_t i = 0; i < f.partials.size(); ++i) {
    const auto& [op, type] = f.partials[i];
    fields += fmt::format("  {} r{}[{}];\n", type, i, kMostChunks);
    results += fmt::format(", chunks->r{}", i);
    levels += fmt::format("auto r{} = fv::levels<{}, {}>();\n", i, op, type);
    adds += fmt::format("    r{0}.add(chunks.r{0}[p]);\n", i);
    sums += fmt::format("{}r{}.result()", i ? ", " : "", i);
  }
  std::string call = fmt::format("{}_chunks(begin, end, chunks->first{}{});\n", f.name, results,
                                 region.arguments(f, p.buffers, p.sizes));
  out.function = comment(step);
  out.function += fmt::format("struct {}_chunks_of {{\n  FritRun* run;\n  i64 first;\n{}}};\n",
                              step.name, fields);
  out.function += fmt::format(
      "static void {0}_region(i64 begin, i64 end, void* ctx) {{\n  auto* chunks = "
      "({0}_chunks_of*)ctx;\n"
      "  FritRun* run = chunks->run;\n{1}{2}}}\n",
      step.name, indented(region.symbols.lines(), 2), indented(call, 2));
  std::string n = launch.symbols.text(p.sizes[0]);
  int64_t grain = 1 + kGrainWork / (32768 * int64_t{f.weight});
  std::string rest =
      fmt::format("{}({}{});\n", f.name, sums, launch.arguments(f, p.buffers, p.sizes));
  std::string text = fmt::format(
      "const i64 count = fv::row_chunks({0});\n{1}_chunks_of chunks;\nchunks.run = run;\n{2}"
      "for (chunks.first = 0; chunks.first < count; chunks.first += {3}) {{\n"
      "  const i64 now = fv::least({3}, count - chunks.first);\n"
      "  if (now > {4}) run->api->parallel_for(now, {4}, {1}_region, &chunks);\n"
      "  else {1}_region(0, now, &chunks);\n"
      "  for (i64 p = 0; p < now; p++) {{\n{5}  }}\n}}\n{6}",
      n, step.name, levels, kMostChunks, grain, adds,
      (f.checks ? "if (run->detail[1]) return run->detail[1];\n" : "") + rest);
  out.declaration = fmt::format("i64 {}(FritRun* run)", step.name);
  out.function += fmt::format("{} {{\n{}{}  return {};\n}}\n", out.declaration,
                              indented(launch.symbols.lines(), 2), indented(text, 2),
                              f.checks ? "run->detail[1]" : "0");
  out.call = f.checks ? fmt::format("if (i64 failed = {}(run)) return failed;\n", step.name)
                      : fmt::format("{}(run);\n", step.name);
  return out;
}

StepText StepWriter::gemm(const Step& step) {
  StepText out;
  Body body(program_, slots_);
  const loops::Gemm& g = step.gemm;
  std::string text = "FritGemm g = {};\n";
  text += fmt::format("g.dtype = {};  // {}\n", static_cast<int>(elem_of(g.dtype)),
                      short_name(g.dtype));
  text += fmt::format("g.m = {}, g.n = {}, g.k = {}, g.batch = {};\n", body.symbols.text(g.m),
                      body.symbols.text(g.n), body.symbols.text(g.k), body.symbols.text(g.batch));
  auto matrix = [&](const char* name, const loops::Matrix& m, bool written) {
    text += fmt::format("g.{0} = {1};\n", name, body.pointer(m.buffer, m.offset, written));
    text += fmt::format("g.{0}_row_stride = {1}, ", name, body.symbols.text(m.row_stride));
    if (!written)
      text += fmt::format("g.{0}_col_stride = {1}, ", name, body.symbols.text(m.col_stride));
    text += fmt::format("g.{0}_batch_stride = {1};\n", name, body.symbols.text(m.batch_stride));
  };
  matrix("a", g.a, false);
  matrix("b", g.b, false);
  std::string epilogue;
  bool checks = false;
  if (g.epilogue >= 0) {
    const NestFunction& f = nests_.get(g.epilogue);
    const loops::Nest& n = program_.nests[static_cast<size_t>(g.epilogue)];
    out.nests.push_back(g.epilogue);
    checks = f.checks;
    Body tile(program_, slots_);
    std::vector<Int> sizes;
    for (const loops::Range& r : n.outer) sizes.push_back(r.size);
    std::string call = fmt::format("{}(tile, tile_ld, m0, mb, n0, nb, batch{});\n", f.name,
                                   tile.arguments(f, n.buffers, sizes));
    epilogue = fmt::format(
        "static void {}_tile(const void* tile, i64 tile_ld, i64 m0, i64 mb, i64 n0, i64 nb, i64 "
        "batch,\n"
        "    void* ctx) {{\n  FritRun* run = (FritRun*)ctx;\n{}{}}}\n",
        step.name, indented(tile.symbols.lines(), 2), indented(call, 2));
    text += fmt::format("g.epilogue = {}_tile, g.epilogue_ctx = run;\n", step.name);
  } else {
    matrix("c", g.c, true);
  }
  text += "run->api->gemm(&g);\n";
  out.function = comment(step) + epilogue;
  out.declaration = fmt::format("i64 {}(FritRun* run)", step.name);
  out.function += fmt::format("{} {{\n{}{}  return {};\n}}\n", out.declaration,
                              indented(body.symbols.lines(), 2), indented(text, 2),
                              checks ? "run->detail[1]" : "0");
  out.call = checks ? fmt::format("if (i64 failed = {}(run)) return failed;\n", step.name)
                    : fmt::format("{}(run);\n", step.name);
  return out;
}

StepText StepWriter::library(const Step& step) {
  StepText out;
  Body body(program_, slots_);
  const loops::Library& l = step.library;
  runtime::LibraryStep plan;
  plan.record = l.record;
  plan.random = l.random;
  std::string buffers, words;
  int slot = 0;
  auto word = [&](const std::string& w) { words += (words.empty() ? "" : ", ") + w; };
  auto tensor = [&](const loops::TensorArg& t) {
    runtime::LibraryStep::Tensor r;
    r.dtype = t.dtype;
    r.rank = static_cast<int>(t.sizes.size());
    if (t.buffer < 0) return r;
    r.buffer = slot++;
    buffers += (buffers.empty() ? "" : ", ") +
               fmt::format("(void*)({})", body.pointer(t.buffer, t.offset));
    for (Int s : t.sizes) word(body.symbols.text(s));
    for (Int s : t.strides) word(body.symbols.text(s));
    return r;
  };
  if (l.random) word(body.symbols.text(l.rng_offset));
  using Kind = runtime::LibraryStep::Argument::Kind;
  for (const loops::Library::Argument& a : l.args) {
    runtime::LibraryStep::Argument r;
    if (a.kind == loops::Library::Argument::Kind::tensor) {
      r.kind = Kind::tensor;
      r.tensors.push_back(a.tensors.empty() ? runtime::LibraryStep::Tensor{}
                                            : tensor(a.tensors[0]));
    } else if (a.kind == loops::Library::Argument::Kind::tensors) {
      r.kind = Kind::tensors;
      for (const loops::TensorArg& t : a.tensors) r.tensors.push_back(tensor(t));
    } else if (a.fixed.is<Int>() && a.fixed.as<Int>().is_symbolic()) {
      r.kind = Kind::integer;
      word(body.symbols.text(a.fixed.as<Int>()));
    } else if (a.fixed.is<Scalar>() && a.fixed.as<Scalar>().is_symbolic()) {
      r.kind = Kind::number;
      word(body.symbols.text(a.fixed.as<Scalar>().as_int()));
    } else if (a.fixed.is<IntList>() &&
               std::any_of(a.fixed.as<IntList>().begin(), a.fixed.as<IntList>().end(),
                           [](Int i) { return i.is_symbolic(); })) {
      r.kind = Kind::integers;
      r.count = static_cast<int>(a.fixed.as<IntList>().size());
      for (Int i : a.fixed.as<IntList>()) word(body.symbols.text(i));
    } else {
      r.fixed = a.fixed;
    }
    plan.args.push_back(std::move(r));
  }
  const bool made = l.record->data_dependent;
  for (const loops::TensorArg& t : l.outs) {
    if (made)
      plan.made.push_back(late_buffer(t.buffer));
    else
      plan.outs.push_back(tensor(t));
  }
  loops::for_each_made_size(l, [&](size_t out, size_t dim, const sym::Expr* s) {
    auto slot = std::find(slots_.begin(), slots_.end(), s);
    if (slot == slots_.end()) return;  // nobody asks for it
    auto at = static_cast<int>(slot - slots_.begin());
    plan.made_sizes.push_back({static_cast<int>(out), static_cast<int>(dim), at});
  });
  if (l.outs.size() == 1 && !l.args.empty() && l.args[0].tensors.size() == 1 &&
      l.args[0].tensors[0].buffer >= 0) {
    const loops::Buffer &in = program_.buffers[static_cast<size_t>(l.args[0].tensors[0].buffer)],
                        &to = program_.buffers[static_cast<size_t>(l.outs[0].buffer)];
    plan.in_place = in.place == loops::Place::input && to.place == in.place && to.index == in.index;
  }
  int number = static_cast<int>(plan_.library_steps.size());
  plan_.library_steps.push_back(std::move(plan));
  std::string text =
      fmt::format("void* const buffers[] = {{{}}};\nconst i64 words[] = {{{}}};\n",
                  buffers.empty() ? "nullptr" : buffers, words.empty() ? "0" : words);
  int64_t check = l.check >= 0 ? l.check : static_cast<int64_t>(program_.checks.size());
  text += fmt::format("return run->api->library_step(run, {}, buffers, words) ? {} : 0;\n", number,
                      1 + check);
  out.declaration = fmt::format("i64 {}(FritRun* run)", step.name);
  out.function = comment(step) + fmt::format("{} {{\n{}{}}}\n", out.declaration,
                                             indented(body.symbols.lines(), 2), indented(text, 2));
  out.call = fmt::format("if (i64 failed = {}(run)) return failed;\n", step.name);
  return out;
}

StepText StepWriter::symbol(const Step& step) {
  StepText out;
  Body body(program_, slots_);
  auto it = std::find(slots_.begin(), slots_.end(), step.symbol.as_made());
  FRIT_INVARIANT(it != slots_.end(), "a symbol step without a symbol");
  std::string text = fmt::format("run->symbols[{}] = (i64)fv::load1({});\n", it - slots_.begin(),
                                 body.pointer(step.buffer, step.index, false));
  out.declaration = fmt::format("i64 {}(FritRun* run)", step.name);
  out.function = comment(step) + fmt::format("{} {{\n{}{}  return 0;\n}}\n", out.declaration,
                                             indented(body.symbols.lines(), 2), indented(text, 2));
  out.call = fmt::format("{}(run);\n", step.name);
  return out;
}

int StepWriter::late_buffer(int buffer) {
  const loops::Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
  runtime::LateBuffer late;
  late.dtype = b.dtype;
  if (b.place == loops::Place::output) {
    late.output = b.index;
    late.rank = static_cast<int>(program_.outputs[static_cast<size_t>(b.index)].sizes.size());
  } else {
    late.own = b.index;
    late.rank = static_cast<int>(b.sizes.size());
  }
  plan_.late.push_back(late);
  return static_cast<int>(plan_.late.size()) - 1;
}

StepText StepWriter::allocate(const Step& step) {
  StepText out;
  Body body(program_, slots_);
  const loops::Buffer& b = program_.buffers[static_cast<size_t>(step.buffer)];
  std::string words;
  auto word = [&](Int i) { words += (words.empty() ? "" : ", ") + body.symbols.text(i); };
  const bool output = b.place == loops::Place::output;
  const size_t at = output ? static_cast<size_t>(b.index) : 0;
  for (Int i : output ? program_.outputs[at].sizes : b.sizes) word(i);
  for (Int i : output ? program_.outputs[at].strides : b.strides) word(i);
  if (words.empty()) words = "0";
  std::string text = fmt::format("const i64 layout[] = {{{}}};  // {}\n", words, b.name);
  text += fmt::format("return run->api->allocate(run, {}, layout) ? {} : 0;\n",
                      late_buffer(step.buffer), 1 + step.check);
  out.declaration = fmt::format("i64 {}(FritRun* run)", step.name);
  out.function = comment(step) + fmt::format("{} {{\n{}{}}}\n", out.declaration,
                                             indented(body.symbols.lines(), 2), indented(text, 2));
  out.call = fmt::format("if (i64 failed = {}(run)) return failed;\n", step.name);
  return out;
}

StepText StepWriter::check(const Step& step) {
  StepText out;
  Body body(program_, slots_);
  std::string condition = body.symbols.check_text(step.condition);
  out.declaration = fmt::format("i64 {}(FritRun* run)", step.name);
  out.function =
      comment(step) + fmt::format("{} {{\n{}  return {} ? 0 : {};\n}}\n", out.declaration,
                                  indented(body.symbols.lines(), 2), condition, 1 + step.check);
  out.call = fmt::format("if (i64 failed = {}(run)) return failed;\n", step.name);
  return out;
}

}  // namespace frit::codegen::cpu
