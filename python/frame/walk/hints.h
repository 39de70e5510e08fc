// What to type where a call ends a graph, by the name of what is called.
#pragma once
#include <string_view>

namespace frit::walk {

inline const char* hint_of_call(std::string_view name) {
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name.remove_prefix(dot + 1);
  if (name == "tensor" || name == "as_tensor" || name == "from_numpy")
    return "full(), zeros() or arange(), which are part of the graph, or a tensor made before the "
           "call";
  if (name == "requires_grad_") return "requires_grad_() before the compiled call";
  if (name == "register_hook" || name == "retain_grad")
    return "the hook on an argument, before the compiled call";
  if (name == "print") return "print after the compiled call";
  return "it before or after the compiled call";
}

}  // namespace frit::walk
