// One recording of a walk over torch's tensors: torch computes, and what it was called with is
// noted.
#pragma once
#include <unordered_set>

#include "adapters/torch/host.h"
#include "adapters/torch/names.h"
#include "adapters/torch/twins.h"
#include "bindings/op_object.h"
#include "compile/capture.h"
#include "frame/tensor_library.h"

namespace frit::torch {

// Frit's state of this thread as torch's is, for a scope.
class StateScope {
 public:
  explicit StateScope(const Api&);
  ~StateScope();
  StateScope(const StateScope&) = delete;
  StateScope& operator=(const StateScope&) = delete;

 private:
  uint32_t word_;
  DType default_type_;
};
// Are random numbers among the parts of this call? They are torch's own.
bool draws(const OpRecord&, std::span<const Arg> args);
uint32_t torch_modes(const Api&);  // kGradEnabled, kInferenceMode

class Recording final : public compiler::TensorFinder {
 public:
  Recording(const Api& api, const Names& names, bool dynamic);
  ~Recording();
  void run(const std::function<void(walk::TensorResults&)>& body);
  std::unique_ptr<walk::TensorEntry> compile(const CompileOptions&, const std::string& name,
                                             walk::RecordingStop& stop);
  int use_external(PyObject* tensor, const std::string& name, bool dynamic);
  // The tensor of that index stands for a float.
  void is_float(int index) { floats_.push_back(index); }
  Int use_number(int64_t value, const std::string& name);
  void abandon(const std::string& why);
  std::string stopped() const;
  bool ints(PyObject* tensor, const std::string& what, std::vector<Int>& found);
  PyObject* compute(const walk::TensorOp&, const std::function<PyObject*()>& run);

  // An op of aten's, inside of an op that is watched.
  static PyObject* dispatched(PyObject* function, PyObject* arguments, PyObject* keywords);

  std::optional<Found> find(uint64_t identity) override;
  const TensorImpl* base_of(const TensorImpl&) override;
  bool is_visible(const TensorImpl&) override;

 private:
  struct External {
    Ref tensor;
    bool requires_grad;
    std::string name;
  };
  // The op as one of Frit's, before torch runs it; nothing where it is none.
  std::optional<python::Call> resolve(const std::string& name, const walk::TensorOp&);
  std::string op_name(const walk::TensorOp&, walk::TensorOp& call) const;
  void note(const OpRecord&, std::span<const Arg> args, std::span<PyObject* const> results);
  bool run_parts(const OpRecord&, std::span<const Arg> args, std::span<PyObject* const> results);
  void lay_out(std::span<const Arg> args, Tensor& made, PyObject* result);
  bool index(const walk::TensorOp&, std::span<PyObject* const> results);
  bool same(std::span<const Arg> args, std::span<const Tensor> made,
            std::span<PyObject* const> results);
  PyObject* watch(const walk::TensorOp&, const std::string& name,
                  const std::function<PyObject*()>& run);
  bool meet(PyObject* tensor);
  void note_constant(const Tensor& twin);
  Tensor indexed(const walk::TensorOp&);
  bool store(const walk::TensorOp&);
  PyObject* aten(PyObject* function, PyObject* arguments, PyObject* keywords,
                 const std::function<PyObject*()>& run);
  static PyObject* argument(const AtenOp&, size_t i, PyObject* arguments, PyObject* keywords);
  // As ops that have records, where the op itself has none.
  bool decompose(const AtenOp&, PyObject* arguments, PyObject* keywords,
                 std::span<PyObject* const> results);
  bool is_decomposed(frit::Ref made, PyObject* of, PyObject* result);
  bool decompose_batch_norm(std::span<PyObject* const> args, PyObject* result);
  bool decompose_attention(std::span<PyObject* const> args, PyObject* result);
  std::optional<ArgList> arguments_of(const OpRecord&, PyObject* arguments, PyObject* keywords);
  void fix_computed_sizes(const AtenOp&, PyObject* arguments, PyObject* keywords);
  void host(const AtenOp&, PyObject* function, PyObject* arguments, PyObject* keywords,
            const std::vector<PyObject*>& given, const std::vector<size_t>& written,
            const std::vector<PyObject*>& results);
  // Our own troubles end the recording, never the program.
  template <class F>
  PyObject* guarded(PyObject* result, F&& fn) {
    try {
      fn();
    } catch (const std::exception& e) {
      PyErr_Clear();
      abandon(e.what());
    }
    return result;
  }
  void collect(PyObject* result, std::vector<PyObject*>& tensors) const;
  void refresh_requires_grad(std::span<PyObject* const>);
  bool note_fitting(const OpRecord&, std::span<const Arg> args, std::span<PyObject* const> results);
  // Of the op that is noted: while it is watched, of the whole.
  SourceLocation here() const { return where_ ? where_ : python::location_if_watched(); }
  bool active() const { return !abandoned_ && capture_.why_stopped().empty(); }

  const Api& api_;
  const Names& names_;
  StateScope state_;
  compiler::Leaves args_;
  std::unordered_map<uint64_t, Found> found_;
  Twins twins_;
  std::vector<External> externals_;
  std::vector<int> floats_;
  compiler::Capture capture_;
  bool abandoned_ = false;
  std::string why_;
  uint32_t mode_at_end_ = 0;
  size_t watched_from_ = 0;  // twins that are older were there before the op that is watched
  std::unordered_set<uint64_t> inner_;  // that only torch's own code sees
  std::string watched_name_;
  std::vector<PyObject*> watched_given_;
  std::vector<PyObject*> written_;  // by parts of the op that is watched
  std::vector<std::shared_ptr<Host>> hosts_;
  std::map<std::string, int> host_calls_;
  Tensor order_;  // keeps calls that draw random numbers in order
  bool draws_ = false;
  SourceLocation where_;
  static thread_local Recording* watching_;
};

}  // namespace frit::torch
