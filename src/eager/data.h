// Another memory for the same tensor.
#pragma once
#include <frit/tensor.h>

namespace frit::eager {

// `t` shows `data`'s memory from now on, in its dtype and layout, and stays what it is: a leaf or
// an output, a parameter, whoever holds it. What the tape has kept of it before counts as written.
// `what` is what the program called.
void set_data(const Tensor& t, const Tensor& data, const char* what);

// Notes that another tensor took t's place in a module.
void note_replaced(const Tensor& t);

}  // namespace frit::eager
