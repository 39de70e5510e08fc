#include "jit/plugin_abi.h"

static const frit_cc_plugin kPlugin = {FRIT_CC_ABI + 1, "25.1.0-0123456789abcdef", "25.1.0",
                                       nullptr, nullptr};
extern "C" const frit_cc_plugin* frit_cc_entry() { return &kPlugin; }
