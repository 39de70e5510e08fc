// One recording of a walk, and the entry it becomes: the compile room's Capture, whose tensors are
// found as they are used.
#pragma once
#include "compile/capture.h"
#include "frame/tensor_library.h"

namespace frit::python {

// A Python float as a tensor without dimensions.
Tensor scalar_of(PyObject* number);

class Recording final : public compiler::TensorFinder {
 public:
  explicit Recording(bool dynamic);
  void run(const std::function<void(walk::TensorResults&)>& body);
  std::unique_ptr<walk::TensorEntry> compile(const CompileOptions&, const std::string& name,
                                             walk::RecordingStop& stop);
  int use_external(const Tensor& t, const std::string& name, bool dynamic,
                   std::vector<int8_t> marks = {});
  // The tensor of that index stands for a float.
  void is_float(int index) { floats_.push_back(index); }
  Int use_number(int64_t value, const std::string& name);
  void abandon(const std::string& why);
  std::string stopped() const;

  std::optional<Found> find(uint64_t identity) override;

 private:
  compiler::Leaves args_;
  std::unordered_map<uint64_t, Found> found_;
  compiler::Capture capture_;
  std::vector<int> floats_;
  bool abandoned_ = false;
  std::string why_;
  uint32_t mode_at_end_ = 0;
};

}  // namespace frit::python
