// The elements of nodes by kind.
#include <fmt/format.h>

#include "base/fault.h"
#include "loops/below.h"
#include "loops/lowering.h"
#include "ops/views/view_rules.h"

namespace frit::loops {
namespace {

ir::Value* value_at(const ir::Node& n, size_t i) { return n.args()[i].ref().value(); }

// The element of v that stands at `at` of something it broadcasts to.
IntList broadcast_index(const ir::Value& v, const IntList& at) {
  IntList index;
  size_t lead = fault(Fault::broadcast) ? 0 : at.size() - v.sizes().size();
  for (size_t i = 0; i < v.sizes().size(); ++i)
    index.push_back(known_one(v.sizes()[i]) ? Int(0) : at[lead + i]);
  return index;
}

Int row_major(const IntList& at, const IntList& sizes) {
  Int flat = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!known_one(sizes[i])) flat = flat * sizes[i] + at[i];
  return flat;
}

bool gives_bool(const OpRecord& r) {
  return r.promotion == Promotion::comparison || r.promotion == Promotion::to_bool;
}

const Expr* pointwise(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  const OpRecord& r = n.record();
  OpTypes types = pointwise_types(r, n.args());
  DType compute = compute_type(types.compute);
  std::vector<const Expr*> operands, numbers;
  for (size_t i = 0; i < r.schema.args.size() && i < n.args().size(); ++i) {
    const Arg& a = n.args()[i];
    if (a.is_none()) continue;
    switch (r.schema.args[i].type) {
      case ArgType::tensor: {
        ir::Value* v = a.ref().value();
        bool uncast = r.uncast_args >> i & 1;
        const Expr* e = read.read(v, broadcast_index(*v, at));
        operands.push_back(p.convert(e, uncast ? DType::boolean : compute));
        break;
      }
      case ArgType::scalar:
      case ArgType::real:
      case ArgType::integer:
      case ArgType::boolean:
        numbers.push_back(p.constant(a.to_scalar(), compute));
        break;
      case ArgType::tensor_list:
      case ArgType::integer_list:
      case ArgType::real_list:
      case ArgType::boolean_list:
      case ArgType::dtype:
      case ArgType::string:
      case ArgType::generator:
      case ArgType::layout:
      case ArgType::device:
      case ArgType::memory_format:
        break;
    }
  }
  operands.insert(operands.end(), numbers.begin(), numbers.end());
  const Expr* e = p.call(intern(body_of(r, n.args())), std::move(operands),
                         gives_bool(r) ? DType::boolean : compute);
  return p.convert(e, types.result);
}

// start + i * step, in float64, or in int64 for integer types: there the numbers are truncated
// first, as in PyTorch.
const Expr* arange(Program& p, const ir::Node& n, const IntList& at) {
  DType t = n.output()->dtype();
  Scalar start = n.args()[0].to_scalar(), step = n.args()[2].to_scalar();
  if (!is_floating(t)) return p.convert(p.index(start.as_int() + at[0] * step.as_int()), t);
  const Expr* i = p.convert(p.index(at[0]), DType::f64);
  const Expr* by = p.call(intern("mul"), {i, p.constant(step, DType::f64)}, DType::f64);
  return p.convert(p.call(intern("add"), {p.constant(start, DType::f64), by}, DType::f64), t);
}

const Expr* creation(Program& p, const ir::Node& n, const IntList& at) {
  const OpRecord& r = n.record();
  DType t = n.output()->dtype();
  if (r.lowering == "arange") return arange(p, n, at);
  if (r.body == "empty") return p.constant(Scalar(0), compute_type(t));
  int fill = r.schema.find("fill_value");
  return p.convert(p.constant(n.args()[static_cast<size_t>(fill)].to_scalar(), compute_type(t)), t);
}

// Bodies of random records are named for what they draw; the functions of vec/random.h for how.
const Expr* random(Program& p, const ir::Node& n, const IntList& at) {
  const OpRecord& r = n.record();
  DType t = n.output()->dtype();
  Int element = row_major(at, n.output()->sizes());
  Int offset = n.rng_offset();
  auto arg = [&](std::string_view name) -> const Arg& {
    return n.args()[static_cast<size_t>(r.schema.find(name))];
  };
  DType real = t == DType::f64 ? DType::f64 : DType::f32;
  if (r.body == "rand")
    return p.convert(p.random(intern("random_uniform"), offset, element, {}, real), t);
  if (r.body == "randn")
    return p.convert(p.random(intern("random_normal"), offset, element, {}, real), t);
  if (r.body == "bernoulli")
    return p.convert(p.random(intern("random_bernoulli"), offset, element,
                              {p.constant(arg("p").to_scalar(), DType::f32)}, DType::boolean),
                     t);
  if (r.body == "randint") {
    Int low = arg("low").to_int(), high = arg("high").to_int();
    const Expr* drawn =
        p.random(intern("random_below"), offset, element, {p.index(high - low)}, DType::i64);
    if (!known_zero(low)) drawn = p.call(intern("add"), {drawn, p.index(low)}, DType::i64);
    return p.convert(drawn, t);
  }
  throw InternalError("the random body " + r.body + " has no lowering");
}

bool known_random(const OpRecord& r) {
  return r.body == "rand" || r.body == "randn" || r.body == "bernoulli" || r.body == "randint";
}

// An empty tensor of one dimension may stand among tensors of any rank.
bool takes_part(const ir::Value& v, size_t rank) {
  return v.sizes().size() == rank && !known_zero(v.numel());
}

const Expr* cat(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  DType t = n.output()->dtype();
  size_t rank = at.size();
  auto d =
      static_cast<size_t>(wrap_dim(n.args()[1].to_int().hint(), static_cast<int64_t>(rank), "cat"));
  struct Piece {
    ir::Value* value;
    Int begin, end;
  };
  std::vector<Piece> pieces;
  Int end = 0;
  for (const Ref& r : n.args()[0].refs()) {
    ir::Value* v = r.value();
    if (!takes_part(*v, rank)) continue;
    Int begin = end;
    end = end + v->sizes()[d];
    pieces.push_back({v, begin, end});
  }
  const Expr* result = nullptr;
  for (size_t i = pieces.size(); i-- > 0;) {
    IntList index(at);
    index[d] = at[d] - pieces[i].begin;
    const Expr* e = p.convert(read.read(pieces[i].value, index), t);
    result = result ? p.select(at[d] < pieces[i].end, e, result) : e;
  }
  return result ? result : p.constant(Scalar(0), compute_type(t));
}

// A dimension that is gone round, from some element on to its end and then from its beginning: two
// reads of elements one after another, where the remainder would make every lane a read of its own.
const Expr* gone_round(Program& p, const ir::Value& v, const IntList& index,
                       const std::function<const Expr*(const IntList&)>& read, size_t d = 0) {
  for (; d < index.size(); ++d) {
    const sym::Expr* e = index[d].expr();
    const Int size = v.sizes()[d];
    if (!e || e->kind() != sym::Kind::mod || !Int(e->arg(1)).same_as(size)) continue;
    const Int from = Int(e->arg(0));
    std::vector<Int> loops;
    for_each_symbol(from, [&](const sym::Expr* s) {
      if (auto n = p.size_of_symbol(Int(s))) loops.push_back(Int(s));
    });
    if (loops.size() != 1 || !p.size_of_symbol(loops[0])->same_as(size)) continue;
    auto form = affine(from, loops);
    if (!form || !form->coefs[0].same_as(1)) continue;
    IntList low = index, high = index;
    low[d] = loops[0] + mod(form->base, size);
    high[d] = low[d] - size;
    return p.select(low[d] < size, gone_round(p, v, low, read, d + 1),
                    gone_round(p, v, high, read, d + 1));
  }
  return read(index);
}

const Expr* copy(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  if (n.record().lowering == "cat") return cat(p, n, at, read);
  ir::Value* v = viewed(n);
  IntList index = n.record().index_map ? *viewed_index(n, at) : broadcast_index(*v, at);
  return p.convert(gone_round(p, *v, index, [&](const IntList& i) { return read.read(v, i); }),
                   n.output()->dtype());
}

// The view that a lowering of this name writes through; null for others.
const OpRecord* view_written(std::string_view lowering) {
  static const OpRecord &select = find_op("select.int"), &slice = find_op("slice.Tensor"),
                        &diagonal = find_op("diagonal");
  if (lowering == "select_scatter") return &select;
  if (lowering == "slice_scatter") return &slice;
  if (lowering == "diagonal_scatter") return &diagonal;
  return nullptr;
}

// Views written through: the elements that the view shows are src's.
const Expr* written_view(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  const std::string& how = n.record().lowering;
  ir::Value *self = value_at(n, 0), *src = value_at(n, 1);
  DType t = n.output()->dtype();
  auto rank = static_cast<int64_t>(at.size());
  ShapeCtx<Int> s(n.record(), n.args());
  IntList index;
  Bool shown = true;
  if (how == "diagonal_scatter") {
    auto a = static_cast<size_t>(s.dim(3, rank)), b = static_cast<size_t>(s.dim(4, rank));
    Int k = s.integer(2);
    shown = at[b] - at[a] == k;
    for (size_t d = 0; d < at.size(); ++d)
      if (d != a && d != b) index.push_back(at[d]);
    index.push_back(ask_or(k >= Int(0), true) ? at[a] : at[b]);
  } else {
    auto d = static_cast<size_t>(s.dim(2, rank));
    index = at;
    Int size = self->sizes()[d];
    if (how == "select_scatter") {
      Int chosen = s.integer(3);
      if (from_end(chosen)) chosen = chosen + size;
      shown = at[d] == chosen;
      index.erase(d);
    } else {
      auto given = [&](int i) {
        return s.has(i) ? std::optional<Int>(s.integer(i)) : std::nullopt;
      };
      Int step = s.integer(5);
      auto range = slice_range(s, size, given(3), given(4), step);
      Int away = at[d] - range.start;
      shown = away >= Int(0) && at[d] < range.start + range.length * step;
      if (!known_one(step)) shown = shown && mod(away, step) == Int(0);
      index[d] = floordiv(away, step);
    }
  }
  if (known_zero(src->numel())) return p.convert(read.read(self, at), t);
  const Expr* yes = p.convert(read.read(src, index), t);
  return p.select(shown, yes, p.convert(read.read(self, at), t));
}

// A number counts as one element of one dimension, whether it is read or says where.
Int size_at(const ir::Value& self, size_t d) {
  return self.sizes().empty() ? Int(1) : self.sizes()[d];
}
IntList chosen(const ir::Value& self, const IntList& at, size_t d, Int index) {
  IntList from(at);
  from.resize(self.sizes().size(), Int(0));
  if (d < from.size()) from[d] = index;
  return from;
}

// out[.., i, ..] = self[.., index[.., i, ..], ..]
const Expr* gather(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  ir::Value *self = value_at(n, 0), *index = value_at(n, 2);
  DType t = n.output()->dtype();
  auto d = static_cast<size_t>(
      wrap_dim(n.args()[1].to_int().hint(), static_cast<int64_t>(at.size()), "gather"));
  return p.convert(
      read.read(self, chosen(*self, at, d, read.data(index, at, size_at(*self, d), false, n))), t);
}

const Expr* index_select(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  ir::Value *self = value_at(n, 0), *index = value_at(n, 2);
  DType t = n.output()->dtype();
  auto d = static_cast<size_t>(wrap_dim(n.args()[1].to_int().hint(), self->dim(), "index_select"));
  IntList which = index->sizes().empty() ? IntList() : IntList{at.empty() ? Int(0) : at[d]};
  return p.convert(
      read.read(self, chosen(*self, at, d, read.data(index, which, size_at(*self, d), false, n))),
      t);
}

// x[a, :, b]: the tensors' common dimensions stand where the first of them does, or in front where
// they are apart.
const Expr* index_by_tensors(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  ir::Value* self = value_at(n, 0);
  const auto& refs = n.args()[1].refs();
  size_t first = self->sizes().size(), last = 0, count = 0, common = 0;
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i].defined()) continue;
    first = std::min(first, i), last = i, ++count;
    common = std::max(common, refs[i].value()->sizes().size());
  }
  size_t begin = last - first + 1 == count ? first : 0;
  IntList shared(at.begin() + begin, at.begin() + begin + common), from;
  size_t next = 0;
  for (size_t d = 0; d < self->sizes().size(); ++d) {
    if (d < refs.size() && refs[d].defined()) {
      ir::Value* index = refs[d].value();
      from.push_back(read.data(index, broadcast_index(*index, shared), self->sizes()[d], true, n));
    } else {
      if (next == begin) next += common;
      from.push_back(at[next++]);
    }
  }
  return p.convert(read.read(self, from), n.output()->dtype());
}

using IndexElement = const Expr* (*)(Program&, const ir::Node&, const IntList&, Reader&);

IndexElement find_index_lowering(std::string_view name) {
  if (name == "gather") return gather;
  if (name == "index_select") return index_select;
  if (name == "index") return index_by_tensors;
  if (view_written(name)) return written_view;
  return nullptr;
}

}  // namespace

Int DataIndices::symbol(ir::Value* v, const IntList& at, Int size, bool wrap,
                        const ir::Node& node) {
  for (const DataIndex& d : all_) {
    if (d.value != v || !d.size.same_as(size) || d.wrap != wrap || d.at.size() != at.size())
      continue;
    bool same = true;
    for (size_t i = 0; i < at.size(); ++i) same = same && d.at[i].same_as(at[i]);
    if (same) return d.symbol;
  }
  sym::ShapeEnv& env = *program_.env;
  // As with loops, a symbol in [0, 0] would be the number 0, and nothing would check it.
  int64_t last = size.is_constant() ? std::max<int64_t>(size.constant() - 1, 1) : sym::kPlusInf;
  Int symbol = env.new_unbacked("loop", {}, 0, last);
  assume_below(env, symbol, size);
  all_.push_back({symbol, v, at, size, wrap, &node});
  return symbol;
}

std::vector<const DataIndex*> DataIndices::in(Int index) const {
  std::vector<const DataIndex*> found;
  if (all_.empty()) return found;
  for_each_symbol(index, [&](const sym::Expr* s) {
    for (const DataIndex& d : all_)
      if (d.symbol.expr() == s) found.push_back(&d);
  });
  return found;
}

bool has_elements(const ir::Node& n) {
  const OpRecord& r = n.record();
  if (n.outputs().size() != 1) return false;
  switch (r.kind) {
    case Kind::pointwise:
      return true;
    case Kind::view:
      return static_cast<bool>(r.index_map);
    case Kind::creation:
      return r.lowering == "arange" || r.body == "full" || r.body == "empty";
    case Kind::copy:
      return r.lowering.empty() || r.lowering == "cat";
    case Kind::random:
      return known_random(r);
    case Kind::index:
      // Of a tensor of no dimensions, the index is only checked: left to the kernel.
      return find_index_lowering(r.lowering) != nullptr && value_at(n, 0)->dim() > 0;
    case Kind::reduction:
    case Kind::matmul:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      return false;
  }
  return false;
}

bool only_reads(const ir::Node& n) {
  const OpRecord& r = n.record();
  switch (r.kind) {
    case Kind::pointwise:
    case Kind::view:
      return true;
    case Kind::creation:
      return r.lowering.empty();
    case Kind::copy:
      return r.lowering.empty();
    case Kind::index:
      return find_index_lowering(r.lowering) != written_view;
    case Kind::random:
    case Kind::reduction:
    case Kind::matmul:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      return false;
  }
  return false;
}

const Expr* element(Program& p, const ir::Node& n, const IntList& at, Reader& read) {
  const OpRecord& r = n.record();
  switch (r.kind) {
    case Kind::pointwise:
      return pointwise(p, n, at, read);
    case Kind::view:
      return read.read(viewed(n), *viewed_index(n, at));
    case Kind::creation:
      return creation(p, n, at);
    case Kind::copy:
      return copy(p, n, at, read);
    case Kind::random:
      return random(p, n, at);
    case Kind::index:
      return find_index_lowering(r.lowering)(p, n, at, read);
    case Kind::reduction:
    case Kind::matmul:
    case Kind::composite:
    case Kind::library:
    case Kind::host:
      break;
  }
  throw InternalError(r.full_name + " has no elements to lower");
}

bool writes_view(const ir::Node& n) {
  return n.record().kind == Kind::index && view_written(n.record().lowering) &&
         value_at(n, 0)->dim() > 0;
}

IntList written_index(const ir::Node& n, const IntList& at) {
  const OpRecord& view = *view_written(n.record().lowering);
  ArgList args{n.args()[0]};
  args.append(n.args().begin() + 2, n.args().end());
  ShapeCtx<Int> s(view, args);
  return view.index_map(s, std::span<const Int>(at));
}

std::vector<IndexOperand> written_by_index(const ir::Node& n) {
  const OpRecord& r = n.record();
  if (r.kind != Kind::index || !r.inplace || value_at(n, 0)->dim() == 0) return {};
  std::vector<IndexOperand> found;
  if (r.lowering == "index_put") {
    const auto& refs = n.args()[1].refs();
    for (size_t d = 0; d < refs.size(); ++d)
      if (refs[d].defined()) found.push_back({refs[d].value(), d, true});
  } else if (r.lowering == "scatter" || r.lowering == "scatter_add" || r.lowering == "index_add" ||
             r.lowering == "index_copy") {
    auto d = static_cast<size_t>(
        wrap_dim(n.args()[1].to_int().hint(), value_at(n, 0)->dim(), r.schema.name));
    found.push_back({value_at(n, 2), d, false});
  }
  return found;
}

ir::Value* viewed(const ir::Node& n) {
  if (n.record().kind != Kind::copy) return value_at(n, 0);
  // Of a copy, the last tensor argument is what is copied.
  ir::Value* last = nullptr;
  for_each_ref(n.args(), [&](const Ref& r) { last = r.value(); });
  return last;
}

std::optional<IntList> viewed_index(const ir::Node& n, const IntList& at) {
  if (!n.record().index_map) return std::nullopt;
  ShapeCtx<Int> s(n.record(), n.args());
  return n.record().index_map(s, std::span<const Int>(at));
}

}  // namespace frit::loops
