// PyTorch's stored samples as arguments of Frit's records.
#pragma once
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "meta_caller.h"
#include "op_samples/reader.h"

namespace frit::test {

inline DType dtype_of(op_samples::Dtype t) {
  constexpr DType types[] = {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i8,
                             DType::i16, DType::i32, DType::i64,  DType::u8,  DType::boolean};
  return types[static_cast<int>(t)];
}

struct Call {
  const OpRecord* record = nullptr;
  ArgList args;
  std::vector<Tensor> inputs;
};

class SampleArgs {
 public:
  explicit SampleArgs(const op_samples::Sample& s) : s_(s) {
    std::map<int32_t, Ptr<Storage>> storages;
    for (const op_samples::TensorData& t : s.inputs) {
      Ptr<Storage> storage = t.storage >= 0 ? storages[t.storage] : Ptr<Storage>();
      if (!storage && !t.rows) storage = make_ptr<Storage>(Storage::Fake{}, t.bytes.size());
      if (t.storage >= 0) storages[t.storage] = storage;
      inputs.push_back(shape_only(t.sizes, t.strides, dtype_of(t.dtype), t.offset, storage));
    }
  }

  // The record and its complete arguments; nothing where Frit has no such op. A number given for a
  // Tensor chooses the overload that has a Scalar there, or becomes a tensor without dimensions.
  std::optional<Call> call() const {
    const OpRecord* named = registry().find(s_.op.substr(6));
    if (!named) return std::nullopt;
    const OpRecord* r = with_numbers(*named);
    if (!r) r = named;
    Call c{r, {}, inputs};
    std::vector<std::pair<std::string_view, Arg>> keywords;
    for (const op_samples::Argument& a : s_.arguments) {
      const int at = r->schema.find(a.name);
      const bool tensor =
          at >= 0 && r->schema.args[static_cast<size_t>(at)].type == ArgType::tensor;
      keywords.emplace_back(
          a.name, tensor && is_number(a.value) ? Arg(as_tensor(a.value)) : value(a.value));
    }
    c.args = bind_arguments(r->schema, {}, keywords);
    return c;
  }

  std::vector<Tensor> inputs;

 private:
  static bool is_number(const op_samples::Value& v) {
    using K = op_samples::Value::Kind;
    return v.kind == K::boolean || v.kind == K::integer || v.kind == K::real;
  }

  // A number where only a tensor can be: one without dimensions, of the dtype that the number has
  // beside the other operands.
  Tensor as_tensor(const op_samples::Value& v) const {
    using K = op_samples::Value::Kind;
    TypePromotion types;
    types.add_number(v.kind == K::real      ? default_dtype()
                     : v.kind == K::integer ? DType::i64
                                            : DType::boolean);
    for (const op_samples::TensorData& t : s_.inputs)
      types.add_tensor(dtype_of(t.dtype), t.sizes.empty());
    Tensor made = empty_cpu({}, types.result());
    auto put = [&]<class T>(T) {
      const T number = v.kind == K::real      ? static_cast<T>(v.real)
                       : v.kind == K::integer ? static_cast<T>(v.integer)
                                              : static_cast<T>(v.boolean);
      std::memcpy(made.impl()->data(), &number, sizeof number);
    };
    // To the nearest, ties to even.
    auto put_bfloat16 = [&] {
      auto bits = std::bit_cast<uint32_t>(static_cast<float>(
          v.kind == K::real ? v.real
                            : static_cast<double>(v.kind == K::integer ? v.integer : v.boolean)));
      const auto half = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
      std::memcpy(made.impl()->data(), &half, sizeof half);
    };
    switch (made.dtype()) {
      case DType::f32:
        put(float{});
        break;
      case DType::f64:
        put(double{});
        break;
      case DType::bf16:
        put_bfloat16();
        break;
      case DType::f16:
        put(_Float16{});
        break;
      case DType::i8:
        put(int8_t{});
        break;
      case DType::i16:
        put(int16_t{});
        break;
      case DType::i32:
        put(int32_t{});
        break;
      case DType::i64:
        put(int64_t{});
        break;
      case DType::u8:
        put(uint8_t{});
        break;
      case DType::boolean:
        put(bool{});
        break;
    }
    return made;
  }

  const OpRecord* with_numbers(const OpRecord& r) const {
    auto fits = [&](const OpRecord& o) {
      for (const SchemaArg& a : o.schema.args)
        if (!a.has_default && !s_.argument(a.name)) return false;
      for (const op_samples::Argument& a : s_.arguments) {
        int i = o.schema.find(a.name);
        if (i < 0) return false;
        ArgType t = o.schema.args[static_cast<size_t>(i)].type;
        if (t == ArgType::tensor && is_number(a.value)) return false;
        if (t == ArgType::scalar && a.value.kind == op_samples::Value::Kind::tensor) return false;
      }
      return true;
    };
    if (fits(r)) return &r;
    for (const OpRecord* o : registry().overloads(r.schema.name))
      if (o->form == r.form && fits(*o)) return o;
    return nullptr;
  }

  Arg value(const op_samples::Value& v) const {
    using K = op_samples::Value::Kind;
    switch (v.kind) {
      case K::none:
        return {};
      case K::boolean:
        return Arg(v.boolean);
      case K::integer:
        return Arg(Int(v.integer));
      case K::real:
        return Arg(v.real);
      case K::text:
        return Arg(v.text);
      case K::dtype:
        return Arg(dtype_of(v.dtype));
      case K::tensor:
        return Arg(inputs[v.tensor]);
      case K::integers: {
        IntList l;
        for (int64_t i : v.integers) l.push_back(Int(i));
        return Arg(std::move(l));
      }
      case K::list: {
        bool booleans = !v.list.empty() && v.list[0].kind == K::boolean;
        bool reals = !v.list.empty() && v.list[0].kind == K::real;
        if (booleans) {
          IntList l;
          for (const auto& e : v.list) l.push_back(Int(e.boolean ? 1 : 0));
          return Arg(std::move(l));
        }
        if (reals) {
          std::vector<double> l;
          for (const auto& e : v.list) l.push_back(e.real);
          return Arg(std::move(l));
        }
        if (v.list.empty()) return Arg(IntList());
        std::vector<Ref> l;
        for (const auto& e : v.list)
          l.push_back(e.kind == K::tensor ? Ref(inputs[e.tensor]) : Ref());
        return Arg(std::move(l));
      }
    }
    return {};
  }

  const op_samples::Sample& s_;
};

}  // namespace frit::test
