#include "jit/plugin_abi.h"

static const frit_cc_plugin kPlugin = {FRIT_CC_ABI, "18.1.8-0123456789abcdef", "18.1.8", nullptr,
                                       nullptr};
extern "C" const frit_cc_plugin* frit_cc_entry() { return &kPlugin; }
