#include "kernels/cpu/install.h"

#include "kernels/cpu/kernels.h"

namespace frit::kernels {

void install() {
  static const bool done = [] {
    install_matmul(registry());
    install_nn(registry());
    install_index(registry());
    install_library(registry());
    return true;
  }();
  (void)done;
}

}  // namespace frit::kernels
