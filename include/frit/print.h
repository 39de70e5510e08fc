// Tensors on streams, as str() has them: std::cout << x (room eager).
#pragma once
#include <frit/tensor.h>

#include <iosfwd>

namespace frit {

std::ostream& operator<<(std::ostream& out, const Tensor& t);

}  // namespace frit
