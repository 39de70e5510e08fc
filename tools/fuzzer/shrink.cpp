#include "fuzzer/shrink.h"

#include <algorithm>

namespace frit::fuzz {
namespace {

// The program without statement k: its results are replaced by another variable.
Program without_statement(const Program& p, size_t k, int stand_in) {
  Program q = p;
  int first = p.first_result(k), count = p.statements[k].results;
  auto mapped = [&](int v) { return v < first ? v : v < first + count ? stand_in : v - count; };
  q.statements.erase(q.statements.begin() + static_cast<std::ptrdiff_t>(k));
  for (size_t i = k; i < q.statements.size(); ++i)
    q.statements[i].for_each_variable([&](int& v) { v = mapped(v); });
  for (int& o : q.outputs) o = mapped(o);
  if (k + 1 == p.statements.size()) q.raises = false;
  return q;
}

// Variables that may stand for the results of statement k: its operands, then inputs.
std::vector<int> stand_ins(const Program& p, size_t k) {
  std::vector<int> found;
  auto add = [&](int v) {
    if (std::find(found.begin(), found.end(), v) == found.end()) found.push_back(v);
  };
  Statement s = p.statements[k];
  s.for_each_variable([&](int& v) { add(v); });
  for (size_t i = 0; i < p.inputs.size(); ++i) add(static_cast<int>(i));
  return found;
}

bool is_read(const Program& p, int v) {
  if (std::find(p.outputs.begin(), p.outputs.end(), v) != p.outputs.end()) return true;
  return std::any_of(p.statements.begin(), p.statements.end(),
                     [&](const Statement& s) { return s.uses(v); });
}

class Shrinker {
 public:
  Shrinker(Program p, const Fails& fails, int most)
      : p_(std::move(p)), fails_(fails), left_(most) {}

  Program run() {
    for (bool again = true; again && left_ > 0;) {
      again = statements();
      again = outputs() || again;
      again = inputs() || again;
      again = plain() || again;
    }
    return std::move(p_);
  }

 private:
  bool take(const Program& q) {
    if (left_-- <= 0 || !fails_(q)) return false;
    p_ = q;
    return true;
  }

  bool statements() {
    bool any = false;
    for (size_t k = p_.statements.size(); k-- > 0;) {
      bool read = false;
      for (int i = 0; i < p_.statements[k].results; ++i)
        read = read || is_read(p_, p_.first_result(k) + i);
      for (int v : stand_ins(p_, k)) {
        if (take(without_statement(p_, k, v))) {
          any = true;
          break;
        }
        if (!read) break;  // whatever stood for it would do
      }
    }
    return any;
  }

  bool outputs() {
    bool any = false;
    for (size_t o = p_.outputs.size(); p_.outputs.size() > 1 && o-- > 0;) {
      Program q = p_;
      q.outputs.erase(q.outputs.begin() + static_cast<std::ptrdiff_t>(o));
      any = take(q) || any;
    }
    return any;
  }

  bool inputs() {
    bool any = false;
    for (auto i = static_cast<int>(p_.inputs.size()); p_.inputs.size() > 1 && i-- > 0;) {
      if (is_read(p_, i)) continue;
      Program q = p_;
      q.inputs.erase(q.inputs.begin() + i);
      auto mapped = [i](int v) { return v > i ? v - 1 : v; };
      for (InputSpec& s : q.inputs) s.alias_of = s.alias_of == i ? -1 : mapped(s.alias_of);
      for (Statement& s : q.statements) s.for_each_variable([&](int& v) { v = mapped(v); });
      for (int& o : q.outputs) o = mapped(o);
      any = take(q) || any;
    }
    return any;
  }

  // Inputs and statements without what does not matter.
  bool plain() {
    bool any = false;
    auto attempt = [&](auto&& change) {
      Program q = p_;
      if (change(q)) any = take(q) || any;
    };
    auto set = [](auto& field, auto value) { return std::exchange(field, value) != value; };
    for (size_t i = 0; i < p_.inputs.size(); ++i) {
      attempt([&](Program& q) { return set(q.inputs[i].requires_grad, false); });
      attempt([&](Program& q) { return set(q.inputs[i].computed, false); });
      attempt([&](Program& q) { return set(q.inputs[i].alias_of, -1); });
      attempt([&](Program& q) { return set(q.inputs[i].layout, InputSpec::Layout::dense); });
      attempt([&](Program& q) { return set(q.inputs[i].values, InputSpec::Values::normal); });
      attempt([&](Program& q) { return set(q.inputs[i].dtype, DType::f32); });
      for (size_t d = 0; d < p_.inputs[i].sizes.size(); ++d)
        attempt([&](Program& q) {
          int64_t n = q.inputs[i].sizes[d];
          if (n <= 2) return false;
          // Equal sizes go together.
          for (InputSpec& s : q.inputs) std::replace(s.sizes.begin(), s.sizes.end(), n, int64_t{2});
          return true;
        });
    }
    for (size_t k = 0; k < p_.statements.size(); ++k)
      attempt([&](Program& q) { return set(q.statements[k].no_grad, false); });
    attempt([&](Program& q) { return set(q.fixed_sizes, false); });
    return any;
  }

  Program p_;
  const Fails& fails_;
  int left_;
};

}  // namespace

Program shrink(Program p, const Fails& fails, int most) {
  return Shrinker(std::move(p), fails, most).run();
}

}  // namespace frit::fuzz
