// A tensor as text, in PyTorch's way: aligned values, the middle of long dimensions left out.
#include <fmt/format.h>
#include <frit/print.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "eager/tape.h"
#include "eager/values.h"

namespace frit {
namespace {

constexpr int64_t kWholeUpTo = 1000;
constexpr int64_t kEdge = 3;

struct Format {
  bool floating = false, whole = true, scientific = false;
  size_t width = 0;

  std::string text(Scalar v) const {
    if (v.is_bool()) return v.to_bool() ? "True" : "False";
    if (!floating) return std::to_string(v.to_int64());
    double x = v.to_double();
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    if (scientific) return fmt::format("{:.4e}", x);
    return whole ? fmt::format("{:.0f}.", x) : fmt::format("{:.4f}", x);
  }
};

class Printer {
 public:
  Printer(const TensorImpl& t) : t_(t), brief_(t.numel() > kWholeUpTo) {
    format_.floating = is_floating(t.dtype);
    double low = INFINITY, high = 0;
    visit(0, t.offset, [&](Scalar v) {
      double x = std::abs(v.to_double());
      if (!std::isfinite(x)) return;
      format_.whole = format_.whole && x == std::floor(x);
      if (x != 0) low = std::min(low, x), high = std::max(high, x);
    });
    format_.scientific =
        high > 1e8 || (!format_.whole && high > 0 && (high / low > 1000 || low < 1e-4));
    visit(0, t.offset,
          [&](Scalar v) { format_.width = std::max(format_.width, format_.text(v).size()); });
  }

  std::string text() const { return dimension(0, t_.offset, 7); }

 private:
  // The shown indices of a dimension; -1 for what is left out.
  std::vector<int64_t> shown(size_t d) const {
    std::vector<int64_t> list;
    int64_t n = t_.sizes[d];
    for (int64_t i = 0; i < n; ++i) {
      if (brief_ && n > 2 * kEdge && i == kEdge) {
        list.push_back(-1);
        i = n - kEdge;
      }
      list.push_back(i);
    }
    return list;
  }

  Scalar at(int64_t offset) const {
    return eager::read_element(
        static_cast<const std::byte*>(t_.storage->data()) + offset * size_of(t_.dtype), t_.dtype);
  }

  template <class F>
  void visit(size_t d, int64_t offset, F&& fn) const {
    if (d == t_.sizes.size()) return fn(at(offset));
    for (int64_t i : shown(d))
      if (i >= 0) visit(d + 1, offset + i * t_.strides[d], fn);
  }

  std::string dimension(size_t d, int64_t offset, size_t indent) const {
    if (d == t_.sizes.size()) return fmt::format("{:>{}}", format_.text(at(offset)), format_.width);
    bool last = d + 1 == t_.sizes.size();
    std::string out = "[";
    bool first = true;
    size_t column = indent + 1;
    for (int64_t i : shown(d)) {
      std::string part = i < 0 ? "..." : dimension(d + 1, offset + i * t_.strides[d], indent + 1);
      if (!first) {
        out += ",";
        if (last && column + part.size() + 2 <= 80) {
          out += " ";
          column += part.size() + 2;
        } else {
          out +=
              std::string(last ? 1 : t_.sizes.size() - d - 1, '\n') + std::string(indent + 1, ' ');
          column = indent + 1 + part.size();
        }
      } else {
        column += part.size();
      }
      out += part;
      first = false;
    }
    return out + "]";
  }

  const TensorImpl& t_;
  bool brief_;
  Format format_;
};

}  // namespace

std::string Tensor::str() const {
  if (!defined()) return "tensor(undefined)";
  const TensorImpl& t = *impl_;
  std::string text = "tensor(";
  if (t.storage->has_data()) {
    eager::reading_values(*this, {}, "str");
    text += t.numel() == 0 ? "[]" : Printer(t).text();
  } else {
    text += "...";
  }
  if (!t.storage->has_data() || (t.numel() == 0 && t.dim() != 1))
    text += ", size=" + dims_text(t.sizes);
  bool usual = t.dtype == default_dtype() || t.dtype == DType::i64 || is_bool(t.dtype);
  if (!usual || t.numel() == 0) text += ", dtype=" + std::string(name(t.dtype));
  if (auto node = eager::grad_fn(*this))
    text += ", grad_fn=<" + node->name() + ">";
  else if (eager::requires_grad(*this))
    text += ", requires_grad=True";
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << t.str(); }

}  // namespace frit
