#include "ir/key.h"

#include <cmath>

#include "base/fault.h"
#include "ir/text.h"

namespace frit::ir {

void append_key(std::string& key, const Arg& a,
                const std::function<uint32_t(const Value*)>& number) {
  struct Visitor {
    std::string& k;
    const std::function<uint32_t(const Value*)>& number;
    void operator()(std::monostate) { k += 'N'; }
    void operator()(const Ref& r) {
      k += 'v' + (r.defined() ? std::to_string(number(r.value())) : "-");
    }
    void operator()(const std::vector<Ref>& l) {
      k += '[';
      for (const Ref& r : l) (*this)(r), k += ',';
      k += ']';
    }
    void operator()(Int i) { k += 'i' + i.str(); }
    void operator()(const IntList& l) {
      k += '(';
      for (Int i : l) k += i.str() + ',';
      k += ')';
    }
    void operator()(double d) { k += 'd' + real_text(d) + (std::signbit(d) ? "-" : ""); }
    void operator()(const std::vector<double>& l) {
      k += 'D';
      for (double d : l) (*this)(d), k += ',';
    }
    void operator()(bool b) { k += b ? 'T' : 'F'; }
    void operator()(const Scalar& s) {
      if (fault(Fault::cse_scalars)) return;
      if (s.is_real())
        (*this)(s.to_double());
      else
        k += (s.is_bool() ? 'B' : 'I') +
             (s.is_symbolic() ? s.as_int().str() : std::to_string(s.to_int64()));
    }
    void operator()(DType t) { k += 't' + std::to_string(static_cast<int>(t)); }
    void operator()(Symbol s) { k += '"' + std::string(s.str()) + '"'; }
    void operator()(const std::shared_ptr<Generator>&) { k += 'G'; }
  };
  std::visit(Visitor{key, number}, a.storage());
  key += ';';
}

}  // namespace frit::ir
