// x.index({...}) and x.index_put_({...}, values), in terms of select, slice, unsqueeze and index.
#include "eager/indexing.h"

#include "base/location.h"
#include "core/layout.h"
#include "eager/dispatch.h"

namespace frit {
namespace {

using indexing::Ellipsis;
using indexing::Index;
using indexing::None;
using indexing::Slice;
using Indices = std::span<const Index>;

// Dimensions of the tensor that the index takes up.
int64_t consumed(const Index& i) {
  if (i.is<None>() || i.is<Ellipsis>() || i.is<bool>()) return 0;
  if (i.is<Tensor>() && i.as<Tensor>().defined() && is_bool(i.as<Tensor>().dtype()))
    return i.as<Tensor>().dim();
  return 1;
}

// What is left after the views: the view, and the tensor indices by its dimensions.
struct Viewed {
  Tensor view;
  std::vector<Ref> tensors;
  bool any = false;
};

class Walk {
 public:
  Walk(eager::EagerCaller& c, std::string_view op, std::source_location where)
      : c_(c), op_(op), where_(where) {}

  Viewed run(const Tensor& self, Indices indices) {
    int64_t used = 0, ellipses = 0;
    for (const Index& i : indices) {
      used += consumed(i);
      ellipses += i.is<Ellipsis>();
    }
    int64_t rank = self.dim();
    if (used > rank)
      throw UserError(ErrorKind::index, op_,
                      "too many indices for tensor of dimension " + std::to_string(rank) +
                          ", got " + std::to_string(used),
                      "at most one index for each dimension");
    if (ellipses > 1)
      throw UserError(ErrorKind::index, op_,
                      "an index can only have a single ellipsis, got " + std::to_string(ellipses),
                      "slices in place of the other");
    r_.view = self;
    for (const Index& i : indices) {
      if (i.is<Ellipsis>())
        dim_ += rank - used;
      else
        apply(i);
    }
    return std::move(r_);
  }

 private:
  void apply(const Index& i) {
    if (i.is<None>()) {
      r_.view = c_.op<"unsqueeze">(r_.view, dim_++).tensor();
    } else if (i.is<Slice>()) {
      const Slice& s = i.as<Slice>();
      if (s.start || s.stop || !s.step.same_as(1))
        r_.view = c_.op<"slice.Tensor">(r_.view, dim_, Arg(s.start), Arg(s.stop), s.step).tensor();
      ++dim_;
    } else if (i.is<Int>()) {
      select(i.as<Int>());
    } else if (i.is<bool>()) {
      r_.view = c_.op<"unsqueeze">(r_.view, dim_).tensor();
      bool truth = i.as<bool>();
      add(tensor_from<int64_t>(truth ? std::vector<int64_t>{0} : std::vector<int64_t>{},
                               std::vector<int64_t>{truth ? 1 : 0}));
    } else {
      const Tensor& t = i.as<Tensor>();
      if (!t.defined())
        throw UserError(ErrorKind::index, op_, "an index is an undefined tensor",
                        "None for a new dimension, Slice{} for all of one");
      if (t.dim() == 0 && is_integral(t.dtype())) {  // a view, as for a number
        select(t.item_int(where_));
        return;
      }
      if (t.dim() == 0 && is_bool(t.dtype())) {  // a mask of a new dimension of size 1
        r_.view = c_.op<"unsqueeze">(r_.view, dim_).tensor();
        add(c_.op<"unsqueeze">(t, 0).tensor());
        return;
      }
      add(t);
      // A mask is one entry of the list for all of its dimensions.
      dim_ += consumed(i) - 1;
      beyond_ += consumed(i) - 1;
    }
  }
  void select(Int at) {
    try {
      r_.view = c_.op<"select.int">(r_.view, dim_, at).tensor();
    } catch (const UserError& e) {
      if (e.kind() != ErrorKind::index) throw;
      throw UserError(ErrorKind::index, op_,
                      "index " + at.str() + " is out of bounds for dimension " +
                          std::to_string(dim_) + " with size " +
                          std::to_string(r_.view.impl()->sizes[static_cast<size_t>(dim_)]),
                      e.hint(), e.where());
    }
  }
  void add(const Tensor& t) {
    r_.tensors.resize(static_cast<size_t>(dim_ - beyond_));
    r_.tensors.emplace_back(t);
    r_.any = true;
    ++dim_;
  }

  eager::EagerCaller& c_;
  std::string_view op_;
  Viewed r_;
  std::source_location where_;
  int64_t dim_ = 0;     // of the view, the next index is for
  int64_t beyond_ = 0;  // how far it is beyond the place in the list
};

// Values may have more dimensions than what they are written to: leading ones of size 1.
Tensor without_leading_ones(eager::EagerCaller& c, const Tensor& values, int64_t rank) {
  Tensor v = values;
  while (v.dim() > rank && v.impl()->sizes[0] == 1) v = c.op<"squeeze.dim">(v, 0).tensor();
  return v;
}

template <class F>
Tensor at(std::source_location where, F&& fn) {
  try {
    return fn();
  } catch (const UserError& e) {
    throw e.at(located(where));
  }
}

}  // namespace

namespace eager {

Tensor index(const Tensor& self, Indices indices, std::source_location where) {
  return at(where, [&] {
    EagerCaller c(where);
    Viewed v = Walk(c, "index", where).run(self, indices);
    if (v.any) return c.op<"index.Tensor">(v.view, std::move(v.tensors)).tensor();
    // As in PyTorch, the result is always another object.
    return v.view.is_same(self) ? c.op<"alias">(v.view).tensor() : v.view;
  });
}

void index_put(const Tensor& self, Indices indices, const Tensor& values,
               std::source_location where) {
  at(where, [&] {
    EagerCaller c(where);
    Viewed v = Walk(c, "index_put_", where).run(self, indices);
    if (v.any)
      c.op<"index_put_">(v.view, std::move(v.tensors), values, false);
    else
      c.op<"copy_">(v.view, without_leading_ones(c, values, v.view.dim()));
    return self;
  });
}

void index_put(const Tensor& self, Indices indices, const Scalar& value,
               std::source_location where) {
  at(where, [&] {
    EagerCaller c(where);
    Viewed v = Walk(c, "index_put_", where).run(self, indices);
    if (v.any) {
      Tensor t = c.op<"full">(IntList{}, value, self.dtype()).tensor();
      c.op<"index_put_">(v.view, std::move(v.tensors), t, false);
    } else {
      c.op<"fill_.Scalar">(v.view, value);
    }
    return self;
  });
}

}  // namespace eager

Tensor Tensor::index(std::initializer_list<Index> indices, std::source_location where) const {
  checked(where);
  return eager::index(*this, Indices(indices.begin(), indices.size()), where);
}

Tensor Tensor::index_put_(std::initializer_list<Index> indices, const Tensor& values,
                          std::source_location where) const {
  checked(where);
  eager::index_put(*this, Indices(indices.begin(), indices.size()), values, where);
  return *this;
}

Tensor Tensor::index_put_(std::initializer_list<Index> indices, const Scalar& value,
                          std::source_location where) const {
  checked(where);
  eager::index_put(*this, Indices(indices.begin(), indices.size()), value, where);
  return *this;
}

Tensor Tensor::operator[](Position i) const {
  checked();
  return eager::EagerCaller(i.where).op<"select.int">(*this, 0, i.index).tensor();
}

}  // namespace frit
