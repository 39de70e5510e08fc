// What holds in every Program, whoever made it.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "loops/loop_ir.h"

namespace frit::loops {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& p) : p_(p) {}

  void run() {
    std::unordered_set<std::string> names;
    for (const Buffer& b : p_.buffers) {
      at_ = "buffer " + b.name;
      require(names.insert(b.name).second, "two buffers have this name");
      require(b.sizes.size() == b.strides.size(), "as many strides as sizes");
      if (b.place == Place::row)
        require(b.elements.is_constant() &&
                    b.elements.constant() * size_of(b.dtype) <= kRowScratchBytes,
                "row scratch has a constant size of at most kRowScratchBytes");
      if (b.place == Place::input)
        require(b.index >= 0 && b.index < p_.num_inputs, "an input of that index");
    }
    for (size_t i = 0; i < p_.nests.size(); ++i) {
      at_ = fmt::format("nest n{}", i);
      nest(p_.nests[i]);
    }
    std::unordered_set<std::string> steps;
    for (const Step& s : p_.steps) {
      at_ = "step " + s.name;
      require(steps.insert(s.name).second, "two steps have this name");
      step(s);
    }
    order();
  }

 private:
  void require(bool holds, const std::string& rule) const {
    if (!holds) throw InternalError("loops: " + at_ + ": " + rule);
  }
  void buffer(int b) const {
    require(b >= 0 && b < static_cast<int>(p_.buffers.size()), "a buffer of the program");
  }

  void nest(const Nest& n) {
    require(n.row.empty() == (n.algorithm == Algorithm::pointwise), "a row goes with a reduction");
    std::unordered_set<const sym::Expr*> outer, all;
    for (const Range& r : n.outer) {
      require(r.symbol.is_symbolic() && outer.insert(r.symbol.expr()).second,
              "loops have symbols of their own");
      all.insert(r.symbol.expr());
    }
    for (const Range& r : n.row)
      require(r.symbol.is_symbolic() && all.insert(r.symbol.expr()).second,
              "loops have symbols of their own");
    int slots = 0;
    for (const Stage& s : n.stages) {
      require(!s.over_row || !n.row.empty(), "a pass over a row that is not there");
      require(s.over_row || s.reductions.empty(), "reductions are made over the row");
      const auto& symbols = s.over_row ? all : outer;
      for (const Reduction& r : s.reductions) {
        bool arg = r.op == Reduction::Op::arg_max || r.op == Reduction::Op::arg_min;
        require(r.type == (arg ? DType::i64 : r.value->type), "a reduction's type is its value's");
        value(n, r.value, symbols, slots);
      }
      for (const Store& st : s.stores) {
        buffer(st.buffer);
        require(has(n.buffers, st.buffer), "a store to a buffer the nest lists");
        require(st.value->type == compute_type(p_.buffers[static_cast<size_t>(st.buffer)].dtype),
                "a store of the buffer's compute type");
        require(!st.accumulate || n.serial, "accumulating stores are made in order");
        index(st.index, symbols);
        indirects(n, st.indirect, symbols, slots);
        value(n, st.value, symbols, slots);
      }
      slots += static_cast<int>(s.reductions.size());
    }
  }

  static bool has(const std::vector<int>& list, int b) {
    return std::find(list.begin(), list.end(), b) != list.end();
  }

  void index(Int i, const std::unordered_set<const sym::Expr*>& symbols) const {
    for_each_symbol(i, [&](const sym::Expr* s) {
      if (p_.size_of_symbol(Int(s)))
        require(symbols.count(s) > 0, "an index of a loop that is not here");
    });
  }

  void indirects(const Nest& n, const std::vector<Indirect>& list,
                 const std::unordered_set<const sym::Expr*>& symbols, int slots) {
    for (const Indirect& i : list) {
      require(i.value->type == DType::i64, "an index from data is an int64");
      require(i.check < static_cast<int>(p_.checks.size()), "a check of the program");
      value(n, i.value, symbols, slots);
    }
  }

  void value(const Nest& n, const Expr* root, const std::unordered_set<const sym::Expr*>& symbols,
             int slots) {
    const Expr* one[] = {root};
    for_each_expr(one, [&](const Expr* e) {
      index(e->index, symbols);
      if (e->kind == ExprKind::load)
        require(has(n.buffers, e->buffer), "a load of a buffer the nest lists");
      if (e->kind == ExprKind::reduced)
        require(e->slot < slots, "a reduction's result is used after its pass");
      if (e->kind == ExprKind::convert)
        require(e->type == compute_type(e->to), "a conversion's type");
      for (const Indirect& i : e->indirect)
        require(i.value->type == DType::i64, "an index from data is an int64");
    });
  }

  void step(const Step& s) {
    switch (s.kind) {
      case StepKind::generated:
        require(!s.parts.empty(), "a kernel that does something");
        for (const Part& part : s.parts) {
          require(part.nest >= 0 && part.nest < static_cast<int>(p_.nests.size()),
                  "a nest of the program");
          const Nest& n = p_.nests[static_cast<size_t>(part.nest)];
          require(part.buffers.size() == n.buffers.size(), "a buffer for each of the nest's");
          require(part.sizes.size() == n.outer.size() + n.row.size(),
                  "a size for each of the nest's loops");
          for (size_t i = 0; i < part.buffers.size(); ++i) {
            buffer(part.buffers[i]);
            require(p_.buffers[static_cast<size_t>(part.buffers[i])].dtype ==
                        p_.buffers[static_cast<size_t>(n.buffers[i])].dtype,
                    "a buffer of the nest's dtype");
          }
        }
        break;
      case StepKind::gemm: {
        buffer(s.gemm.a.buffer);
        buffer(s.gemm.b.buffer);
        if (s.gemm.epilogue < 0) {
          buffer(s.gemm.c.buffer);
          require(known_one(s.gemm.c.col_stride), "a product's columns are adjacent");
        } else {
          const Nest& n = p_.nests[static_cast<size_t>(s.gemm.epilogue)];
          require(n.outer.size() == 3 && n.row.empty(), "an epilogue runs over batch, m and n");
          require(n.outer[0].size.same_as(s.gemm.batch) && n.outer[1].size.same_as(s.gemm.m) &&
                      n.outer[2].size.same_as(s.gemm.n),
                  "an epilogue runs over batch, m and n");
        }
        break;
      }
      case StepKind::library:
        require(s.library.record != nullptr, "a record");
        for (const TensorArg& t : s.library.outs) buffer(t.buffer);
        break;
      case StepKind::symbol:
        buffer(s.buffer);
        break;
      case StepKind::allocate: {
        buffer(s.buffer);
        Place place = p_.buffers[static_cast<size_t>(s.buffer)].place;
        require(place == Place::own || place == Place::output,
                "memory for an output or a buffer with its own");
        [[fallthrough]];
      }
      case StepKind::check:
        require(s.check >= 0 && s.check < static_cast<int>(p_.checks.size()),
                "a check of the program");
        break;
    }
  }

  // Nothing is loaded before it is stored, nothing is stored where there is no memory yet, no size
  // is used before it is known, and no step that can fail comes after a store to an input.
  void order() {
    std::vector<char> ready(p_.buffers.size(), 0), room(p_.buffers.size(), 1);
    std::unordered_set<const sym::Expr*> unknown;
    for (const Step& s : p_.steps) {
      if (s.kind == StepKind::symbol) unknown.insert(s.symbol.as_made());
      if (s.kind == StepKind::allocate) room[static_cast<size_t>(s.buffer)] = 0;
      for_each_made_size(s.library, [&](size_t, size_t, const sym::Expr* e) { unknown.insert(e); });
    }
    for (size_t b = 0; b < p_.buffers.size(); ++b)
      if (p_.buffers[b].place == Place::own) room[b] = 0;
    auto known = [&](Int i) {
      for_each_symbol(i, [&](const sym::Expr* e) {
        require(!unknown.count(e), "a size that is not known yet");
      });
    };
    bool written = false;
    for (const Step& s : p_.steps) {
      at_ = "step " + s.name;
      std::vector<int> stores;
      auto load = [&](int b) {
        const Buffer& buffer = p_.buffers[static_cast<size_t>(b)];
        bool old_contents = buffer.place == Place::input || buffer.place == Place::row;
        require(old_contents || ready[static_cast<size_t>(b)] || known_zero(buffer.elements),
                "reads " + buffer.name + " before it is written");
      };
      bool fails = s.kind == StepKind::check || s.kind == StepKind::allocate ||
                   (s.kind == StepKind::library && s.library.check >= 0);
      auto nest = [&](const Nest& n, std::span<const int> actual) {
        auto slot = [&](int b) {
          auto it = std::find(n.buffers.begin(), n.buffers.end(), b);
          return actual[static_cast<size_t>(it - n.buffers.begin())];
        };
        std::unordered_set<int> own;
        for (const Stage& st : n.stages)
          for (const Store& x : st.stores) {
            own.insert(slot(x.buffer));
            stores.push_back(slot(x.buffer));
          }
        std::vector<const Expr*> all;
        for (const Stage& st : n.stages) {
          for (const Reduction& r : st.reductions) all.push_back(r.value);
          for (const Store& x : st.stores) all.push_back(x.value);
        }
        for_each_expr(all, [&](const Expr* e) {
          if (e->kind == ExprKind::load && !own.count(slot(e->buffer))) load(slot(e->buffer));
          for (const Indirect& i : e->indirect) fails = fails || i.check >= 0;
        });
      };
      switch (s.kind) {
        case StepKind::generated:
          for (const Part& part : s.parts) {
            nest(p_.nests[static_cast<size_t>(part.nest)], part.buffers);
            for (Int n : part.sizes) known(n);
          }
          break;
        case StepKind::gemm:
          for (Int n : {s.gemm.m, s.gemm.n, s.gemm.k, s.gemm.batch}) known(n);
          load(s.gemm.a.buffer);
          load(s.gemm.b.buffer);
          if (s.gemm.epilogue >= 0) {
            const Nest& n = p_.nests[static_cast<size_t>(s.gemm.epilogue)];
            nest(n, n.buffers);
          } else {
            stores.push_back(s.gemm.c.buffer);
          }
          break;
        case StepKind::library:
          for (const Library::Argument& a : s.library.args)
            for (const TensorArg& t : a.tensors)
              if (t.buffer >= 0) load(t.buffer);
          for_each_made_size(s.library,
                             [&](size_t, size_t, const sym::Expr* e) { unknown.erase(e); });
          for (const TensorArg& t : s.library.outs) {
            if (s.library.record->data_dependent) room[static_cast<size_t>(t.buffer)] = 1;
            stores.push_back(t.buffer);
            for (Int n : t.sizes) known(n);
          }
          break;
        case StepKind::symbol:
          load(s.buffer);
          known(s.index);
          unknown.erase(s.symbol.as_made());
          break;
        case StepKind::allocate:
          for (Int n : p_.buffers[static_cast<size_t>(s.buffer)].sizes) known(n);
          known(p_.buffers[static_cast<size_t>(s.buffer)].elements);
          room[static_cast<size_t>(s.buffer)] = 1;
          break;
        case StepKind::check:
          break;
      }
      for (int b : stores)
        written = written || p_.buffers[static_cast<size_t>(b)].place == Place::input;
      require(!(fails && written), "may fail after an input was written");
      for (int b : stores) {
        require(room[static_cast<size_t>(b)],
                "a store to " + p_.buffers[static_cast<size_t>(b)].name + " before it has memory");
        ready[static_cast<size_t>(b)] = 1;
      }
    }
  }

  const Program& p_;
  std::string at_;
};

}  // namespace

void verify(const Program& p) { Verifier(p).run(); }

}  // namespace frit::loops
