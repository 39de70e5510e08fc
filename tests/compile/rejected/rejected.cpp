// Programs that must not compile, and what the compiler must say: check.py looks for the text of
// each "says" in the errors, as many as there are.
#include <frit/frit.h>

#include <map>

// clang-format off: a sentence stands on the line that asks for it
using namespace frit;

struct NoForward : nn::Module {};
struct Several : nn::Module {
  Tensor forward(Tensor x) { return x; }
  Tensor forward(Tensor x, Tensor) { return x; }
};
struct Net : nn::Module {
  Tensor forward(Tensor x) { return x; }
};
struct Large {
  int a, b, c, d, e, f, g, h, i;
};
struct WithArray {
  Tensor a;
  int n[2];
};
struct Derived : WithArray {
  Tensor b;
};

void rejected(Tensor x, NoForward& none, Several& several, int n) {
  compile(none);  // says: the module has no public forward, or several (overloaded, or a template)
  compile(several);  // says: write compile<Tensor(Tensor)>(module) with the signature you want
  compile(&Net::forward);  // says: a member function needs its object: compile(net, &Net::forward)
  compile([](auto x) { return x; });  // says: name the types, [](Tensor x) {...}, or the signature
  compile([n](Tensor x) mutable { return x + n++; });  // says: leave `mutable` out
  compile([](Tensor& x) { x = x + 1; });  // says: take Tensor or const Tensor&
  compile([](Tensor x, std::map<int, Tensor>) { return x; })(x, {});  // says: takes and gives Tensors, numbers, enums
  compile([](Tensor, Large l) { return l; })(x, {});  // says: structs of one to eight members
  compile([](WithArray s) { return s.a; })({x, {1, 2}});  // says: make the member a std::array
  compile([](Derived s) { return s.b; })({{x, {1, 2}}, x});  // says: make the base a member
  (void)(x.size(0) / 2.0);  // says: beside a floating point number write double(size)
  (void)x.data<uint64_t>();  // says: no dtype holds this type
}
