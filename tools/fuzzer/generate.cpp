#include "fuzzer/generate.h"

#include <algorithm>

#include "core/layout.h"

namespace frit::fuzz {
namespace {

using Random = std::mt19937_64;
using Layout = InputSpec::Layout;
using Values = InputSpec::Values;

constexpr int64_t kMostElements = 20000;

// What programs call mostly; the others are parts of ops.
bool is_public(const OpRecord& r) {
  return r.schema.name.front() != '_' && r.schema.name.find("backward") == std::string::npos;
}

bool names_an_argument(const OpRecord& r, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view n) { return r.schema.find(n) >= 0; });
}

bool can_fill(const SchemaArg& a) {
  return a.type != ArgType::generator || a.has_default || a.optional;
}

// Do two elements of it lie in one place?
bool overlaps_itself(const TensorImpl& t) {
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] > 1 && t.strides[d] == 0) return true;
  return false;
}

class Maker {
 public:
  Maker(uint64_t seed, uint64_t attempt, int length)
      : r_(seed * 8 + attempt),
        length_(1 + static_cast<int>(r_() % static_cast<uint64_t>(length))) {
    p_.seed = seed;
    focus_ = candidates()[seed % candidates().size()];  // so that each op has its turn
  }

  // False: the op that the seed asks for could not be called.
  bool run() {
    make_specs();
    variables_ = make_inputs(p_, 0, 0).given;
    auto at = static_cast<int>(r_() % static_cast<uint64_t>(length_));
    bool found = false;
    for (int tries = 0; statements() < length_ && tries < 300 && !p_.raises; ++tries) {
      if (!found && statements() >= at) {
        for (int i = 0; i < 60 && !found && !p_.raises; ++i) found = try_op(*focus_);
        if (!found) at = length_;
        continue;
      }
      if (!try_special()) try_op(random_record());
    }
    choose_outputs();
    return found;
  }
  Program take() { return std::move(p_); }

 private:
  int statements() const { return static_cast<int>(p_.statements.size()); }
  bool chance(uint64_t one_in) { return r_() % one_in == 0; }
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(r_() % static_cast<uint64_t>(high - low + 1));
  }
  template <class T>
  const T& one_of(const std::vector<T>& v) {
    return v[r_() % v.size()];
  }
  const Tensor& at(int v) const { return variables_[static_cast<size_t>(v)]; }
  int any_variable() { return static_cast<int>(r_() % variables_.size()); }

  // --- inputs ---

  void make_specs() {
    static const std::vector<int64_t> sizes{1, 2, 3, 4, 5, 8, 16, 17, 32, 33};
    static const std::vector<DType> dtypes{
        DType::f32, DType::f32, DType::f32, DType::f32, DType::f64, DType::bf16,   DType::f16,
        DType::i64, DType::i32, DType::i16, DType::i8,  DType::u8,  DType::boolean};
    std::vector<int64_t> shape;
    const bool indexed = chance(8) || names_an_argument(*focus_, {"index", "indices", "target"});
    const bool square = focus_->kind == Kind::matmul || chance(5);
    const int64_t side = pick(2, 9);
    for (int64_t i = square ? pick(2, 3) : pick(1, 3); i > 0; --i)
      shape.push_back(square                       ? side
                      : indexed                    ? pick(3, 8)
                      : chance(60)                 ? 0
                      : shape.empty() || chance(2) ? one_of(sizes)
                                                   : pick(1, 5));
    gradients_ = chance(3);
    for (int64_t n = pick(2, 3); n > 0; --n) {
      InputSpec s;
      s.dtype = one_of(dtypes);
      s.sizes = shape;
      if (chance(4)) s.sizes.erase(s.sizes.begin());
      if (chance(6)) s.sizes = {one_of(sizes), pick(1, 5)};
      if (chance(20)) s.sizes.clear();
      if (!s.sizes.empty() && s.sizes.front() && s.sizes.back() && chance(3))
        s.layout = chance(2) ? Layout::transposed : chance(3) ? Layout::expanded : Layout::sliced;
      if (square) {
        s.dtype = p_.inputs.empty() ? s.dtype : p_.inputs[0].dtype;
        s.sizes.assign(static_cast<size_t>(pick(1, static_cast<int64_t>(shape.size()))), side);
      } else if (indexed && p_.inputs.size() == 1) {
        s.dtype = chance(8) ? DType::i32 : DType::i64;
        s.values = Values::index;
        s.sizes = shape;
        if (chance(3) && shape.size() > 1) s.sizes.erase(s.sizes.begin() + 1);
        if (chance(4)) s.sizes = {pick(1, 5)};
      } else if (indexed && !p_.inputs.empty()) {
        s.dtype = p_.inputs[0].dtype;
        s.sizes = p_.inputs[r_() % p_.inputs.size()].sizes;
      }
      if (s.dtype == DType::i64 ? chance(2) : chance(8))
        s.values = chance(2) ? Values::index : Values::unit;
      s.requires_grad = gradients_ && is_floating(s.dtype) && chance(2);
      if (s.layout == Layout::expanded) s.requires_grad = false;
      s.computed = s.requires_grad && chance(4);
      if (!p_.inputs.empty() && !s.requires_grad && chance(14)) {
        s.alias_of = static_cast<int>(r_() % p_.inputs.size());
        s.dtype = p_.inputs[static_cast<size_t>(s.alias_of)].dtype;
      }
      p_.inputs.push_back(std::move(s));
    }
  }

  // --- statements ---

  const OpRecord& random_record() {
    // Views, writes and reductions more often than their share.
    for (int tries = 0;; ++tries) {
      const OpRecord* c = one_of(candidates());
      if (!is_public(*c)) continue;
      auto roll = static_cast<int>(r_() % 100);
      bool wanted = roll < 33   ? c->kind == Kind::view
                    : roll < 53 ? c->form == Form::inplace
                    : roll < 66 ? c->kind == Kind::reduction || c->kind == Kind::matmul
                    : roll < 90 ? c->kind == Kind::pointwise && c->form == Form::functional
                    : roll < 94 ? c->kind == Kind::copy
                                : true;
      if (wanted || tries > 200) return *c;
    }
  }

  // Branches and backward passes.
  bool try_special() {
    if (!chance(20)) return false;
    Statement s;
    s.variable = any_variable();
    const TensorImpl& t = *at(s.variable).impl();
    if (chance(3)) {
      if (!at(s.variable).requires_grad() || size_of(t.dtype) < 4 || overlaps_itself(t))
        return false;
      s.kind = Statement::Kind::backward;
      return accept(std::move(s));
    }
    s.results = 1;
    if (is_bool(t.dtype)) return false;
    if (t.numel() == 1) {
      s.kind = Statement::Kind::branch_on_item;
      return accept(std::move(s));
    }
    if (t.sizes.empty()) return false;
    s.kind = Statement::Kind::branch_on_size;
    s.dim = static_cast<int64_t>(r_() % t.sizes.size());
    s.limit = t.sizes[static_cast<size_t>(s.dim)] + pick(-1, 2);
    return accept(std::move(s));
  }

  bool try_op(const OpRecord& record) {
    Statement s;
    s.record = &record;
    s.fill = is_uninitialised(record);
    first_ = -1;
    for (size_t i = 0; i < record.schema.args.size(); ++i) {
      std::vector<int> used;
      Arg value = argument(s, i, used);
      s.args.push_back(std::move(value));
      s.variables.push_back(std::move(used));
    }
    return accept(std::move(s));
  }

  // Runs the statement, and keeps it if all is well.
  bool accept(Statement s) {
    if (gradients_ && chance(12)) s.no_grad = true;
    size_t before = variables_.size();
    bool writes = s.record && s.record->writes();
    Dims written_sizes;
    if (writes && first_ >= 0) written_sizes = at(first_).impl()->sizes;
    try {
      execute(s, variables_);
    } catch (const UserError&) {
      variables_.resize(before);
      bool refused = writes && first_ >= 0 && overlaps_itself(*at(first_).impl());
      if (statements() == 0 || !(refused ? chance(3) : chance(400))) return false;
      s.results = 0;
      p_.raises = true;
      p_.statements.push_back(std::move(s));
      return true;
    }
    s.results = static_cast<int>(variables_.size() - before);
    bool large = false;
    for (size_t i = before; i < variables_.size(); ++i)
      large = large || !variables_[i].defined() || variables_[i].impl()->numel() > kMostElements;
    // An operand that is also the result, and is resized, has no values to speak of.
    if (writes && first_ >= 0 && !(at(first_).impl()->sizes == written_sizes)) {
      int aliases = 0;  // once, as what is written
      s.for_each_variable([&](int& v) { aliases += at(v).shares_storage_with(at(first_)); });
      large = large || aliases > 1;
    }
    if (large) {
      variables_.resize(before);
      if (writes) length_ = 0;  // what it wrote cannot be taken back
      return false;
    }
    if (writes && first_ >= 0) written_ = first_;
    p_.statements.push_back(std::move(s));
    return true;
  }

  // --- arguments ---

  std::vector<int> sharing_with(int v) const {
    std::vector<int> found;
    for (size_t i = 0; i < variables_.size(); ++i)
      if (static_cast<int>(i) != v && variables_[i].shares_storage_with(at(v)))
        found.push_back(static_cast<int>(i));
    return found;
  }

  int tensor(const SchemaArg& a, const OpRecord& record) {
    int chosen = any_variable();
    if (chance(3))
      chosen = static_cast<int>(variables_.size()) - 1 -
               static_cast<int>(r_() % std::min<size_t>(3, variables_.size()));
    // Who shares memory with what was written last is worth reading; views are worth writing.
    if (!a.is_written && written_ >= 0 && chance(4)) {
      std::vector<int> others = sharing_with(written_);
      if (!others.empty()) chosen = one_of(others);
    }
    if ((a.is_written || record.kind == Kind::view) && chance(2))
      for (int tries = 0; tries < 4 && sharing_with(chosen).empty(); ++tries)
        chosen = any_variable();
    // Beside a first operand, one that is as large.
    if (first_ >= 0 && chance(2))
      for (int tries = 0; tries < 6 && !(at(chosen).impl()->sizes == at(first_).impl()->sizes);
           ++tries)
        chosen = any_variable();
    if (first_ < 0 || a.is_written) first_ = chosen;
    return chosen;
  }

  Statement::SizeOf a_size(size_t argument, int element) {
    for (int tries = 0; tries < 8; ++tries) {
      int v = any_variable();
      size_t rank = at(v).impl()->sizes.size();
      if (rank) return {argument, element, v, static_cast<int64_t>(r_() % rank)};
    }
    return {};
  }

  Arg integers(Statement& s, size_t index) {
    IntList list;
    const TensorImpl& t = *at(first_ >= 0 && chance(2) ? first_ : any_variable()).impl();
    switch (r_() % 6) {
      case 0:
        list.push_back(Int(-1));
        break;
      case 1: {  // the sizes of a variable, as it has them at each call
        int v = any_variable();
        for (size_t d = 0; d < at(v).impl()->sizes.size(); ++d) {
          list.push_back(Int(at(v).impl()->sizes[d]));
          s.sizes.push_back({index, static_cast<int>(d), v, static_cast<int64_t>(d)});
        }
        break;
      }
      case 2:
        for (size_t d = t.sizes.size(); d-- > 0;) list.push_back(Int(static_cast<int64_t>(d)));
        break;
      case 3: {
        for (int64_t n : t.sizes) list.push_back(Int(n));
        if (!list.empty() && chance(2)) list[r_() % list.size()] = Int(-1);
        break;
      }
      case 4: {
        Statement::SizeOf z = a_size(index, 0);
        list.push_back(Int(z.variable < 0
                               ? int64_t{1}
                               : at(z.variable).impl()->sizes[static_cast<size_t>(z.dim)]));
        if (z.variable >= 0) s.sizes.push_back(z);
        if (chance(2)) list.push_back(Int(-1));
        break;
      }
      default:
        for (int64_t n = pick(1, 3); n > 0; --n) list.push_back(Int(pick(-1, 2)));
        break;
    }
    return Arg(std::move(list));
  }

  Arg argument(Statement& s, size_t index, std::vector<int>& used) {
    const SchemaArg& a = s.record->schema.args[index];
    if (a.has_default && a.type != ArgType::tensor && !chance(3)) return a.default_value;
    switch (a.type) {
      case ArgType::tensor:
        if (!a.optional || chance(2)) used.push_back(tensor(a, *s.record));
        return Arg();
      case ArgType::tensor_list:
        for (int64_t n = pick(1, 3); n > 0; --n) used.push_back(tensor(a, *s.record));
        return Arg();
      case ArgType::integer:
        if (a.optional && chance(3)) return Arg();
        if (chance(6))
          if (auto z = a_size(index, -1); z.variable >= 0) {
            s.sizes.push_back(z);
            return Arg(at(z.variable).impl()->sizes[static_cast<size_t>(z.dim)]);
          }
        return Arg(chance(8) ? pick(-3, 6) : pick(-1, 2));
      case ArgType::integer_list:
        if (a.optional && chance(3)) return Arg();
        return integers(s, index);
      case ArgType::boolean_list: {
        IntList list;
        for (int64_t n = pick(1, 3); n > 0; --n) list.push_back(Int(pick(0, 1)));
        return Arg(std::move(list));
      }
      case ArgType::scalar: {
        if (a.optional && chance(3)) return Arg();
        static const std::vector<double> values{0.5, 2.0, -1.0, 3.0, 0.0, 1e-3, 100.0};
        if (chance(16)) return Arg(Scalar(true));
        return chance(2) ? Arg(Scalar(pick(-2, 3))) : Arg(Scalar(one_of(values)));
      }
      case ArgType::real:
        if (a.optional && chance(3)) return Arg();
        return Arg(static_cast<double>(pick(0, 4)) / 4);
      case ArgType::real_list: {
        std::vector<double> list;
        for (int64_t n = pick(1, 3); n > 0; --n)
          list.push_back(static_cast<double>(pick(0, 4)) / 4);
        return Arg(std::move(list));
      }
      case ArgType::boolean:
        return Arg(chance(2));
      case ArgType::dtype: {
        static const std::vector<DType> dtypes{DType::f32, DType::f64, DType::bf16, DType::f16,
                                               DType::i64, DType::i32, DType::u8,   DType::boolean};
        if (a.optional && chance(3)) return Arg();
        return Arg(one_of(dtypes));
      }
      case ArgType::string: {
        const OpRecord& f = s.record->functional ? *s.record->functional : *s.record;
        if (f.variant_arg == static_cast<int>(index) && !f.variants.empty())
          return Arg(std::string_view(one_of(f.variants)));
        static const std::vector<std::string> words{
            "none", "mean", "sum", "prod", "amax", "amin", "trunc", "floor", "tanh", "ij", "xy"};
        return Arg(std::string_view(one_of(words)));
      }
      case ArgType::generator:
      case ArgType::layout:
      case ArgType::device:
      case ArgType::memory_format:
        return a.default_value;
    }
    return a.default_value;
  }

  void choose_outputs() {
    auto total = static_cast<int>(variables_.size());
    for (int64_t n = pick(1, 3); n > 0; --n)
      p_.outputs.push_back(chance(4) ? any_variable()
                                     : static_cast<int>(pick(std::max(0, total - 4), total - 1)));
  }

  Random r_;
  Program p_;
  int length_;
  const OpRecord* focus_;
  std::vector<Tensor> variables_;
  bool gradients_ = false;
  int written_ = -1;  // the variable that was written last
  int first_ = -1;    // the first operand of the statement being made, or what it writes
};

}  // namespace

const std::vector<const OpRecord*>& candidates() {
  static const auto* list = [] {
    auto* l = new std::vector<const OpRecord*>;
    for (const OpRecord* r : registry().all()) {
      if (r->has_effect || r->of_graphs) continue;
      bool ok = !r->schema.returns.empty();
      for (const SchemaArg& a : r->schema.args) ok = ok && can_fill(a);
      for (const SchemaReturn& s : r->schema.returns)
        ok = ok && (s.type == ArgType::tensor || s.type == ArgType::tensor_list);
      if (ok) l->push_back(r);
    }
    return l;
  }();
  return *list;
}

Program generate(uint64_t seed, int length) {
  for (uint64_t attempt = 0;; ++attempt) {
    Maker maker(seed, attempt, length);
    if (!maker.run() && attempt < 7) continue;
    Program p = maker.take();
    p.fixed_sizes = seed % 5 == 0;
    return p;
  }
}

}  // namespace frit::fuzz
