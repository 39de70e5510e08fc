// The debug folder of one compile (FRIT_COMPILE_DEBUG=1): readable text of every stage.
#pragma once
#include <string>
#include <string_view>

namespace frit::compiler {

class Artifacts {
 public:
  // Makes a folder below FRIT_DEBUG_DIR (or ./frit_debug) when FRIT_COMPILE_DEBUG is set; else does
  // nothing.
  explicit Artifacts(const std::string& name, std::string existing = {});
  bool enabled() const { return !folder_.empty(); }
  const std::string& folder() const { return folder_; }
  void write(std::string_view file, std::string_view text) const;

 private:
  std::string folder_;
};

}  // namespace frit::compiler
