// A Caller without data: it runs shape rules, by number and by Int, checks that both agree, and
// gives tensors that have sizes only. So decompositions and vjps can be run and what they give
// looked at, without a kernel.
#pragma once
#include <gtest/gtest.h>

#include "ops/kind_rules.h"
#include "ops/record.h"

namespace frit::test {

inline Tensor shape_only(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType t,
                         int64_t offset = 0, Ptr<Storage> storage = {}) {
  int64_t last = offset;
  for (size_t i = 0; i < sizes.size(); ++i) last += (sizes[i] - 1) * strides[i];
  if (!storage)
    storage = make_ptr<Storage>(Storage::Fake{},
                                static_cast<size_t>(std::max<int64_t>(last + 1, 0) * size_of(t)));
  return Tensor(make_ptr<TensorImpl>(storage, t, sizes, strides, offset));
}

inline std::string text(DType t, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                        int64_t offset) {
  return std::string(name(t)) + dims_text(sizes) + " strides " + dims_text(strides) + " offset " +
         std::to_string(offset);
}

// The outputs' metadata by both instantiations of the rule.
inline SmallVector<OutMeta<int64_t>, 2> run_rules(const OpRecord& r, std::span<const Arg> args) {
  ShapeCtx<int64_t> numbers(r, args);
  r.shape(numbers);
  ShapeCtx<Int> ints(r, args);
  r.shape_symbolic(ints);
  EXPECT_EQ(numbers.outs().size(), ints.outs().size()) << r.full_name;
  for (size_t i = 0; i < std::min(numbers.outs().size(), ints.outs().size()); ++i) {
    const OutMeta<int64_t>& a = numbers.outs()[i];
    const OutMeta<Int>& b = ints.outs()[i];
    Dims sizes, strides;
    for (Int v : b.sizes) sizes.push_back(v.constant());
    for (Int v : b.strides) strides.push_back(v.constant());
    EXPECT_EQ(text(a.dtype, a.sizes, a.strides, a.offset),
              text(b.dtype, sizes, strides, b.offset.constant()))
        << r.full_name << ": the rule by number and by Int";
    EXPECT_EQ(a.alias_of, b.alias_of) << r.full_name;
  }
  return std::move(numbers.outs());
}

class MetaCaller final : public Caller {
 public:
  RefList call(const OpRecord& r, std::span<const Arg> args) override {
    if (r.form == Form::functional) {
      if (r.is_implicit()) return r.decomp(*this, args);
    } else if (!r.shape) {
      // Computed beside, then stored.
      const OpRecord& f = *r.functional;
      RefList results = f.decomp(*this, args.subspan(0, f.schema.args.size()));
      for (size_t i = 0; i < r.schema.args.size(); ++i)
        if (r.schema.args[i].is_written) return {stored(r, results[0].tensor(), args[i].ref())};
    }
    FRIT_INVARIANT(!r.data_dependent, r.full_name + " needs data");
    RefList results;
    for (const OutMeta<int64_t>& m : run_rules(r, args)) {
      if (m.alias_of < 0) {
        results.push_back(Ref(shape_only(m.sizes, m.strides, m.dtype)));
        continue;
      }
      const Tensor& base = args[static_cast<size_t>(m.alias_of)].ref().tensor();
      if (r.form != Form::functional && r.kind != Kind::view)  // a view in place has other sizes
        results.push_back(Ref(base));
      else
        results.push_back(
            Ref(shape_only(m.sizes, m.strides, m.dtype, m.offset, base.impl()->storage)));
    }
    return results;
  }

  int64_t item(const Ref&) override { throw std::runtime_error("item needs data"); }

 private:
  // What an in-place form checks before it stores.
  static Ref stored(const OpRecord& r, const Tensor& result, const Ref& into) {
    check_storable(r, meta(Ref(result)), meta(into));
    return into;
  }
};

}  // namespace frit::test
