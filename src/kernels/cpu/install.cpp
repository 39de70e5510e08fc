#include "kernels/cpu/install.h"

namespace frit::kernels {

void install() {
  static const bool done = [] {
    install_matmul(registry());
    return true;
  }();
  (void)done;
}

}  // namespace frit::kernels
