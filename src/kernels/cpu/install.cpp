#include "kernels/cpu/install.h"

#include "base/parallel.h"
#include "kernels/cpu/kernels.h"

namespace frit::kernels {

void install() {
  static const bool done = [] {
    num_threads();  // a bad number in the environment is told by the first op, of whatever size
    install_matmul(registry());
    install_nn(registry());
    install_index(registry());
    install_library(registry());
    return true;
  }();
  (void)done;
}

}  // namespace frit::kernels
