// What the program changed of objects that were there before, in order; replayed by later calls.
#pragma once
#include <vector>

#include "frame/walk/value.h"

namespace frit::walk {

struct Effect {
  enum class Kind : uint8_t {
    set_attribute,     // in the instance dict or slot: key, value
    delete_attribute,  // key
    set_item,          // of a dict or list: key, value
    delete_item,       // key
    append,            // value
    replace_list,      // all items of the list become those of `value`, a fresh list
    set_cell,          // value, or none: emptied
    set_add,           // value
    set_discard,       // value
  } kind;
  Value target, key, value;
};

const char* effect_name(Effect::Kind);

using Effects = std::vector<Effect>;

}  // namespace frit::walk
