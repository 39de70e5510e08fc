#include "kernels/cpu/micro/gemm_add.h"

#include "base/error.h"
#include "kernels/cpu/micro/gemm_table.h"

namespace frit::kernels {

void gemm_add(const GemmTable& table, const GemmArgs& args, const GemmAdd& add) {
  const GemmKernels* kernels = gemm_kernels(table, args.dtype);
  FRIT_INVARIANT(kernels, "gemm_add of integers");
  FRIT_INVARIANT(args.c && !args.epilogue, "gemm_add stores to C");
  const GemmAddContext context{args, add};
  GemmArgs with = args;
  with.epilogue = kernels->add;
  with.epilogue_ctx = const_cast<GemmAddContext*>(&context);
  gemm(table, with);
}

void gemm_add(const GemmArgs& args, const GemmAdd& add) { gemm_add(gemm_table(), args, add); }

}  // namespace frit::kernels
