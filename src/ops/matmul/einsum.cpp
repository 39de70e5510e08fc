// einsum: sums of products named by letters, as transposes, products and sums.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "ops/families.h"
#include "ops/generic.h"
#include "ops/kind_rules.h"
#include "ops/vjp_helpers.h"

namespace frit {

void register_einsum(Registry&);

namespace {

constexpr int kLabels = 52, kEllipsis = kLabels;

[[noreturn]] void fail(std::string message, std::string hint) {
  throw UserError(ErrorKind::runtime, "einsum", std::move(message), std::move(hint));
}

// A..Z before a..z: the order of what is left out is that of the characters.
int label_of(char c) { return c <= 'Z' ? c - 'A' : c - 'a' + 26; }
char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::vector<int> parsed(std::string_view text, std::string_view what) {
  std::vector<int> labels;
  bool ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      if (ellipsis || text.substr(i, 3) != "...")
        fail(fmt::format("found '.' in {} that is not part of a single ellipsis ('...')", what),
             "one '...' for the dimensions without a letter");
      ellipsis = true;
      labels.push_back(kEllipsis);
      i += 2;
    } else if (is_letter(text[i])) {
      labels.push_back(label_of(text[i]));
    } else {
      fail(fmt::format("invalid subscript '{}' in {}: subscripts must be in [a-zA-Z]", text[i],
                       what),
           "a letter for each dimension, like \"ij,jk->ik\"");
    }
  }
  return labels;
}

struct Equation {
  std::vector<std::vector<int>> operands;
  std::optional<std::vector<int>> output;
};

Equation parsed_equation(std::string_view text) {
  Equation e;
  std::string_view left = text;
  if (size_t arrow = text.find("->"); arrow != text.npos) {
    left = text.substr(0, arrow);
    e.output = parsed(text.substr(arrow + 2), "the output");
  }
  for (size_t at = 0;; ++at) {
    size_t comma = left.find(',', at);
    e.operands.push_back(parsed(left.substr(at, comma == left.npos ? left.npos : comma - at),
                                fmt::format("operand {}", e.operands.size())));
    if (comma == left.npos) return e;
    at = comma;
  }
}

// Is it 1, along which there is nothing to sum or to match?
bool is_one(const Int& n) { return known_one(n) || ask_or(size_eq(n, Int(1)), false); }

Int size_at(const Term& t, size_t d) { return t.meta().sizes[d]; }

IntList permutation(std::initializer_list<const std::vector<size_t>*> parts) {
  IntList all;
  for (const auto* p : parts)
    for (size_t d : *p) all.push_back(Int(static_cast<int64_t>(d)));
  return all;
}

// left * right, summed over `summed`, which stay as dimensions of 1. Both have all dimensions.
Term contracted(Term left, Term right, const std::vector<size_t>& summed) {
  if (summed.empty()) return left * right;
  std::vector<size_t> both, left_only, right_only;
  Int batch = 1, rows = 1, columns = 1, inner = 1;
  const size_t dims = left.meta().sizes.size();
  for (size_t d = 0; d < dims; ++d) {
    const Int l = size_at(left, d), r = size_at(right, d);
    const bool in_left = !is_one(l), in_right = !is_one(r);
    if (std::find(summed.begin(), summed.end(), d) != summed.end()) {
      if (in_left && in_right)
        inner = inner * l;
      else if (in_left)
        left = left.op<"sum.dim_IntList">(IntList{Int(static_cast<int64_t>(d))}, true);
      else if (in_right)
        right = right.op<"sum.dim_IntList">(IntList{Int(static_cast<int64_t>(d))}, true);
    } else if (in_left && in_right) {
      both.push_back(d);
      batch = batch * l;
    } else if (in_left) {
      left_only.push_back(d);
      rows = rows * l;
    } else {
      right_only.push_back(d);
      columns = columns * r;
    }
  }
  IntList sizes;
  for (size_t d : both) sizes.push_back(size_at(left, d));
  for (size_t d : left_only) sizes.push_back(size_at(left, d));
  for (size_t i = 0; i < summed.size(); ++i) sizes.push_back(Int(1));
  for (size_t d : right_only) sizes.push_back(size_at(right, d));
  Term l = left.op<"permute">(permutation({&both, &left_only, &summed, &right_only}))
               .op<"reshape">(IntList{batch, rows, inner});
  Term r = right.op<"permute">(permutation({&both, &summed, &right_only, &left_only}))
               .op<"reshape">(IntList{batch, inner, columns});
  const IntList made = permutation({&both, &left_only, &summed, &right_only});
  IntList back(dims, Int(0));
  for (size_t i = 0; i < made.size(); ++i)
    back[static_cast<size_t>(made[i].constant())] = Int(static_cast<int64_t>(i));
  return l.op<"bmm">(r).op<"view">(sizes).op<"permute">(back);
}

// Where each label and each dimension of the ellipsis has its place among all dimensions: those of
// the output, then those that are summed.
struct Places {
  std::array<int, kLabels> of;
  int ellipsis = 0, ellipsis_dims = 0;
  size_t output = 0, all = 0;
};

Places places_of(const Equation& e, int ellipsis_dims) {
  std::array<int, kLabels> count{};
  for (const auto& labels : e.operands)
    for (int l : labels)
      if (l != kEllipsis) ++count[static_cast<size_t>(l)];
  Places p;
  p.of.fill(-1);
  p.ellipsis_dims = ellipsis_dims;
  bool has_ellipsis = false;
  size_t next = 0;
  if (e.output) {
    for (int l : *e.output) {
      if (l == kEllipsis) {
        p.ellipsis = static_cast<int>(next);
        next += static_cast<size_t>(ellipsis_dims);
        has_ellipsis = true;
        continue;
      }
      int& place = p.of[static_cast<size_t>(l)];
      if (place >= 0)
        fail(fmt::format("output subscript {} appears more than once in the output", letter_of(l)),
             "each letter once in the output");
      if (!count[static_cast<size_t>(l)])
        fail(fmt::format("output subscript {} does not appear in the equation for any input "
                         "operand",
                         letter_of(l)),
             "letters of the operands");
      place = static_cast<int>(next++);
    }
  } else {
    next = static_cast<size_t>(ellipsis_dims);
    has_ellipsis = true;
    for (size_t l = 0; l < kLabels; ++l)
      if (count[l] == 1) p.of[l] = static_cast<int>(next++);
  }
  p.output = next;
  if (!has_ellipsis) {
    p.ellipsis = static_cast<int>(next);
    next += static_cast<size_t>(ellipsis_dims);
  }
  for (size_t l = 0; l < kLabels; ++l)
    if (count[l] && p.of[l] < 0) p.of[l] = static_cast<int>(next++);
  p.all = next;
  return p;
}

// The operand with every dimension of the whole, in its place, of 1 where it has none.
Term spread(Term t, const std::vector<int>& labels, const Places& p, int own_ellipsis, size_t n) {
  std::vector<int64_t> from(p.all, -1);
  int64_t j = 0;
  for (int l : labels) {
    if (l == kEllipsis) {
      for (int k = own_ellipsis; k < p.ellipsis_dims; ++k) t = t.op<"unsqueeze">(j);
      for (int k = 0; k < p.ellipsis_dims; ++k) from[static_cast<size_t>(p.ellipsis + k)] = j++;
      continue;
    }
    int64_t& place = from[static_cast<size_t>(p.of[static_cast<size_t>(l)])];
    if (place < 0) {
      place = j++;
      continue;
    }
    // A letter that comes again: the diagonal.
    const Int a = size_at(t, static_cast<size_t>(place)), b = size_at(t, static_cast<size_t>(j));
    if (!sizes_agree(a, b))
      fail(fmt::format("subscript {} is repeated for operand {} but the sizes don't match, {} != "
                       "{}",
                       letter_of(l), n, to_text(b), to_text(a)),
           "dimensions of one size");
    t = t.op<"diagonal">(0, place, j).op<"movedim.int">(-1, place);
  }
  IntList order;
  for (int64_t& d : from) {
    if (d < 0) {
      t = t.op<"unsqueeze">(-1);
      d = j++;
    }
    order.push_back(Int(d));
  }
  return t.op<"permute">(order);
}

void check_sizes(const std::vector<Term>& operands, const Places& p) {
  for (size_t d = 0; d < p.all; ++d) {
    std::optional<Int> size;
    for (size_t n = 0; n < operands.size(); ++n) {
      const Int here = size_at(operands[n], d);
      if (is_one(here)) continue;
      if (size && !sizes_agree(*size, here)) {
        std::string what = "the ellipsis";
        for (size_t l = 0; l < kLabels; ++l)
          if (p.of[l] == static_cast<int>(d))
            what = fmt::format("subscript {}", letter_of(static_cast<int>(l)));
        fail(fmt::format("operands do not broadcast: {} has size {} for operand {} and {} before",
                         what, to_text(here), n, to_text(*size)),
             "one size for each letter, or 1");
      }
      if (!size) size = here;
    }
  }
}

RefList einsum(Caller& c, std::span<const Arg> a) {
  const std::string_view text = a[0].as<Symbol>().str();
  const std::vector<Ref>& given = a[1].refs();
  if (given.empty()) fail("must provide at least one operand", "the tensors after the equation");
  const Equation e = parsed_equation(text);
  if (e.operands.size() != given.size())
    fail(
        fmt::format("the equation has {} operands, {} were given", e.operands.size(), given.size()),
        "one group of letters for each tensor, separated by commas");
  int ellipsis_dims = 0;
  std::vector<int> own_ellipsis(given.size(), 0);
  for (size_t n = 0; n < given.size(); ++n) {
    const int64_t dims = meta(given[n]).dim();
    int64_t letters = 0;
    bool ellipsis = false;
    for (int l : e.operands[n]) (l == kEllipsis ? ellipsis = true : (++letters, false));
    if (ellipsis ? letters > dims : letters != dims)
      fail(fmt::format("the number of subscripts in the equation ({}) does not match the number of "
                       "dimensions ({}) for operand {}",
                       letters, dims, n),
           "a letter for each dimension, or '...' for the rest");
    if (ellipsis) own_ellipsis[n] = static_cast<int>(dims - letters);
    ellipsis_dims = std::max(ellipsis_dims, own_ellipsis[n]);
  }
  const Places p = places_of(e, ellipsis_dims);
  std::vector<Term> left;
  for (size_t n = 0; n < given.size(); ++n)
    left.push_back(spread(Term(c, given[n]), e.operands[n], p, own_ellipsis[n], n));
  check_sizes(left, p);
  if (left.size() == 1) {
    if (p.all == p.output) return {left[0].ref()};
    IntList rest;
    for (size_t d = p.output; d < p.all; ++d) rest.push_back(Int(static_cast<int64_t>(d)));
    return {left[0].op<"sum.dim_IntList">(rest).ref()};
  }
  std::vector<int> users(p.all, 0);
  for (const Term& t : left)
    for (size_t d = 0; d < p.all; ++d) users[d] += !is_one(size_at(t, d));
  while (left.size() > 1) {
    Term x = left[0], y = left[1];
    left.erase(left.begin(), left.begin() + 2);
    std::vector<size_t> summed;
    IntList of_x, of_y;
    for (size_t d = p.output; d < p.all; ++d) {
      const bool in_x = !is_one(size_at(x, d)), in_y = !is_one(size_at(y, d));
      if (in_x && in_y) {
        if (--users[d] == 1) {
          summed.push_back(d);
          users[d] = 0;
        }
      } else if (users[d] == 1 && (in_x || in_y)) {
        (in_x ? of_x : of_y).push_back(Int(static_cast<int64_t>(d)));
        users[d] = 0;
      }
    }
    if (!of_x.empty()) x = x.op<"sum.dim_IntList">(of_x, true);
    if (!of_y.empty()) y = y.op<"sum.dim_IntList">(of_y, true);
    left.insert(left.begin(), contracted(x, y, summed));
  }
  if (p.all == p.output) return {left[0].ref()};
  IntList sizes(left[0].meta().sizes);
  while (sizes.size() > p.output) sizes.pop_back();
  return {left[0].op<"view">(sizes).ref()};
}

}  // namespace

void register_einsum(Registry& r) {
  r.op("einsum(str equation, Tensor[] tensors) -> Tensor")
      .composite(einsum)
      .doc("Sums of products over letters that name dimensions: \"bij,bjk->bik\".");
}

}  // namespace frit
